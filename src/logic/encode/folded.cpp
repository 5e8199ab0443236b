// One walk over the code of each thread, with loops not unrolled: a place for each instruction that makes an event, and
// between places the may and must of their events in every iteration. What folding loses is which iteration is meant:
// `must` between two places holds only if it holds for all pairs of their events, so program order of a place to itself
// inside a loop is may and never must. That is why what is shown here holds under every bound, and why an answer found
// on the unrolled program at one bound would not do.
#include "encode/folded.h"

#include <algorithm>
#include <tuple>

#include "prog/names.h"

namespace fencepost::encode {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Base;
using vocab::Tag;

namespace {

std::vector<Extent> loops_of(const prog::Template& code) {
  std::vector<Extent> out;
  for (uint32_t i = 0; i < code.code.size(); ++i) {
    const Instr& in = code.code[i];
    if ((in.kind == Kind::jump || in.kind == Kind::branch) && code.labels[in.label].at <= i)
      out.push_back({code.labels[in.label].at, i});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Extent& a : out)
      for (const Extent& b : out)
        if (a.from <= b.from && b.from <= a.to && a.to < b.to) {
          a.to = b.to;
          changed = true;
        }
  }
  return out;
}

}  // namespace

Folded::Folded(const prog::Test& test) : test_(test) {
  using vocab::Dialect;
  const Dialect wide = test.dialect == Dialect::opencl ? Dialect::opencl : Dialect::vulkan;
  const std::tuple<Base, Dialect, const char*> scopes[] = {{Base::scta, Dialect::ptx, "cta"},
                                                           {Base::sgpu, Dialect::ptx, "gpu"},
                                                           {Base::scluster, Dialect::ptx, "cluster"},
                                                           {Base::swarp, Dialect::ptx, "warp"},
                                                           {Base::ssg, Dialect::vulkan, "sg"},
                                                           {Base::sqf, Dialect::vulkan, "qf"},
                                                           {Base::swg, wide, "wg"},
                                                           {Base::sdv, wide, "dv"}};
  for (const auto& [b, dialect, level] : scopes) levels_[static_cast<size_t>(b)] = *vocab::level_of(dialect, level);
  for (prog::ObjectId o = 0; o < test.objects.size(); ++o)
    for (uint64_t k = 0; k < test.objects[o].init.size(); ++k) {
      Place p;
      p.instr = o;
      p.tags = test.objects[o].tags;
      p.tags.add(Tag::IW).add(Tag::W);
      p.write = true;
      p.cells = {{o, k}};
      places_.push_back(std::move(p));
    }
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    loops_.push_back(loops_of(test.code(t)));
    add_thread(t);
  }
}

bool Folded::in_loop(uint32_t p) const {
  return places_[p].thread != k_nobody &&
         std::any_of(loops_[places_[p].thread].begin(), loops_[places_[p].thread].end(),
                     [&](const Extent& l) { return l.from <= places_[p].instr && places_[p].instr <= l.to; });
}

BitSet Folded::dropped() const {
  BitSet out(static_cast<uint32_t>(places_.size()));
  for (uint32_t p = 0; p < places_.size(); ++p)
    if (in_loop(p) && !places_[p].write && !places_[p].barrier) out.set(p);
  return out;
}

std::function<bool(Base, uint32_t)> Folded::always() const {
  return [this](Base base, uint32_t i) { return may(base, i, i) && must(base, i, i); };
}

bounds::BaseBounds Folded::bounds(const cat::Model& model) const {
  const uint32_t n = static_cast<uint32_t>(places_.size());
  bounds::BaseBounds b;
  b.n = n;
  b.folded = true;
  b.live = BitSet(n);
  for (uint32_t i = 0; i < n; ++i) b.live.set(i);
  b.always = BitSet(n);
  b.compatible = Relation::product(b.live, b.live);
  b.implied_by.assign(n, BitSet(n));
  for (uint32_t i = 0; i < n; ++i)
    if (places_[i].thread == k_nobody) {  // one event, of every execution
      b.always.set(i);
      b.implied_by[i] = b.live;
    }
  b.tags.assign(vocab::k_tags, BitSet(n));
  b.sometimes.assign(vocab::k_tags, BitSet(n));
  for (uint32_t i = 0; i < n; ++i)
    for (size_t t = 0; t < vocab::k_tags; ++t) {
      const Place& p = places_[i];
      const bool good = p.tags.has(static_cast<Tag>(t));
      const bool failed = p.failed_tags ? p.failed_tags->has(static_cast<Tag>(t)) : good;
      if (good || failed) b.tags[t].set(i);
      if (good != failed) b.sometimes[t].set(i);
    }
  for (size_t k = 0; k < vocab::k_bases; ++k) {
    b.may[k] = Relation(n);
    b.must[k] = Relation(n);
    if (!model.uses(static_cast<Base>(k))) continue;
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        if (!may(static_cast<Base>(k), i, j)) continue;
        b.may[k].set(i, j);
        if ((i != j || b.always.test(i)) && must(static_cast<Base>(k), i, j)) b.must[k].set(i, j);
      }
  }
  return b;
}

bool Folded::one_access(uint32_t p, const Skeleton& once, bool dependencies) const {
  const Place& place = places_[p];
  const prog::Template& code = test_.code(place.thread);
  const Instr& in = code.code[place.instr];
  if (place.symbol == k_none || place.cells.size() != 1 || in.predicate != k_none) return false;
  const auto& loops = once.threads[place.thread].loops;
  for (const SymLoop& l : loops) {
    if (place.instr < l.from || place.instr > l.to) continue;
    if (std::any_of(loops.begin(), loops.end(), [&](const SymLoop& x) { return x.from > l.from && x.from <= l.to; }))
      continue;
    for (uint32_t i = l.from; i <= l.to && dependencies; ++i)
      for (const prog::RegId r : {code.code[i].dst, code.code[i].spurious})
        if (r != k_none && l.live[r]) return false;
    return true;
  }
  return false;
}

bool Folded::read_by_exchanges_alone(const Cell& cell) const {
  return std::all_of(places_.begin(), places_.end(), [&](const Place& p) {
    if (p.thread == k_nobody || !p.cells.contains(cell)) return true;
    return p.cells.size() == 1 && p.symbol != k_none &&
           (!p.read || (p.partner != k_nobody && !test_.instrs(p.thread)[p.instr].guard));
  });
}

bool Folded::in_scope_of_each_other(const Place& a, const Place& b) const {
  const auto level = [&](const Place& p) -> std::optional<uint32_t> {
    static constexpr Tag k_order[] = {Tag::CTA, Tag::CLUSTER, Tag::GPU, Tag::SYS, Tag::WI,
                                      Tag::SG,  Tag::WG,      Tag::QF,  Tag::DV,  Tag::ALL};
    if (p.thread == k_nobody) return std::nullopt;
    for (Tag t : k_order)
      if (p.tags.has(t))
        if (auto l = vocab::level_of(test_.dialect, t)) return l;
    return std::nullopt;
  };
  const auto la = level(a);
  const auto lb = level(b);
  return la && lb && same_level(a, b, *la) && same_level(a, b, *lb);
}

void Folded::add_thread(uint32_t t) {
  const prog::Template& code = test_.code(t);
  // Registers that keep their first value.
  std::vector<std::optional<uint64_t>> constant(code.registers.size(), 0);
  for (const prog::InitValue& v : test_.threads[t].init)
    constant[v.reg] = (v.address != k_none ? prog::address_of(test_.symbols[v.address].object) : v.value) &
                      term::mask(code.registers[v.reg].width);
  for (const Instr& in : code.code)
    for (const prog::RegId r : {in.dst, in.spurious})
      if (r != k_none) constant[r] = std::nullopt;
  for (uint32_t i = 0; i < code.code.size(); ++i) {
    const Instr& in = code.code[i];
    Place p;
    p.thread = t;
    p.instr = i;
    p.tags = in.tags;
    switch (in.kind) {
      case Kind::load:
      case Kind::rmw:
        p.read = true;
        p.tags.add(Tag::R);
        if (in.kind == Kind::rmw) p.tags.add(Tag::RMW);
        if (in.kind == Kind::rmw && in.guard && in.failed_tags) {
          p.failed_tags = *in.failed_tags;
          p.failed_tags->add(Tag::R).add(Tag::RMW);
        }
        break;
      case Kind::store:
        p.write = true;
        p.tags.add(Tag::W);
        break;
      case Kind::fence:
        if (!p.tags.has(Tag::AVDEVICE) && !p.tags.has(Tag::VISDEVICE)) p.tags.add(Tag::F);
        break;
      case Kind::barrier:
        p.barrier = true;
        break;
      default:
        continue;
    }
    if (p.read || p.write) {
      p.symbol = in.addr.symbol;
      p.cells = cells(in.addr, constant);
    }
    places_.push_back(p);
    if (in.kind != Kind::rmw) continue;
    places_.back().partner = static_cast<uint32_t>(places_.size());
    p.partner = static_cast<uint32_t>(places_.size()) - 1;
    p.part = 1;
    p.failed_tags.reset();
    p.read = false;
    p.write = true;
    p.tags = in.store_tags;
    p.tags.add(Tag::W).add(Tag::RMW);
    places_.push_back(p);
  }
}

std::set<Cell> Folded::cells(const prog::Address& a, const std::vector<std::optional<uint64_t>>& constant) const {
  std::set<Cell> out;
  const auto object = [&](prog::ObjectId o) {
    for (uint64_t k = 0; k < test_.objects[o].init.size(); ++k) out.insert({o, k});
  };
  if (a.symbol == k_none) {
    for (prog::ObjectId o = 0; o < test_.objects.size(); ++o) object(o);
    return out;
  }
  const prog::ObjectId o = test_.symbols[a.symbol].object;
  std::optional<uint64_t> index = 0;
  if (a.index)
    index = term::eval(a.index, [&](uint64_t v) -> std::optional<uint64_t> {
      return v < constant.size() ? constant[v] : std::nullopt;
    });
  if (!index) {
    object(o);
  } else if (*index < test_.objects[o].init.size()) {
    out.insert({o, *index});
  }
  return out;
}

bool Folded::overlap(const Place& a, const Place& b) {
  return std::any_of(a.cells.begin(), a.cells.end(), [&](const Cell& c) { return b.cells.contains(c); });
}

bool Folded::same_level(const Place& a, const Place& b, uint32_t level) const {
  if (a.thread == k_nobody || b.thread == k_nobody) return false;
  if (level == vocab::k_level_thread) return a.thread == b.thread;
  return prog::same_scope(test_.threads[a.thread], test_.threads[b.thread], level);
}

bool Folded::before(uint32_t i, uint32_t j) const {
  const Place& a = places_[i];
  const Place& b = places_[j];
  if (a.thread != b.thread || a.thread == k_nobody) return false;
  if (i < j) return true;
  return std::any_of(loops_[a.thread].begin(), loops_[a.thread].end(),
                     [&](const Extent& l) { return l.from <= b.instr && a.instr <= l.to; });
}

bool Folded::may(Base base, uint32_t i, uint32_t j) const {
  const Place& a = places_[i];
  const Place& b = places_[j];
  const bool threads = a.thread != k_nobody && b.thread != k_nobody;
  switch (base) {
    case Base::po:
      return before(i, j);
    case Base::int_:
      return i == j || (threads && a.thread == b.thread);
    case Base::ext:
      return i != j && (a.thread != b.thread || !threads);
    case Base::id:
      return i == j;
    case Base::loc:
    case Base::vloc:
      return overlap(a, b);
    case Base::rf:
      return a.write && b.read && overlap(a, b);
    case Base::co:
      return a.write && b.write && b.thread != k_nobody && overlap(a, b);
    case Base::amo:
      return a.read && a.partner == j;
    case Base::lxsx:
      return false;
    case Base::data:
    case Base::addr:
    case Base::ctrl:
      return a.read && before(i, j);
    case Base::sr:
      return in_scope_of_each_other(a, b);
    case Base::scta:
    case Base::sgpu:
    case Base::scluster:
    case Base::swarp:
    case Base::ssg:
    case Base::sqf:
    case Base::swg:
    case Base::sdv:
      return same_level(a, b, levels_[static_cast<size_t>(base)]);
    case Base::ssw:
      return threads && std::find(test_.ssw.begin(), test_.ssw.end(), std::pair{a.thread, b.thread}) != test_.ssw.end();
    case Base::si:
      return i == j || (threads && a.thread == b.thread);
    case Base::await:
      return threads && a.thread == b.thread;
    case Base::home:
      return a.thread != k_nobody;
    case Base::syncbar:
      return a.barrier && b.barrier;
    case Base::sync_fence:
    case Base::fsc:
      return a.tags.has(Tag::F) && b.tags.has(Tag::F) && a.tags.has(Tag::SC) && b.tags.has(Tag::SC);
    case Base::count_:
      break;
  }
  return true;
}

bool Folded::must(Base base, uint32_t i, uint32_t j) const {
  const Place& a = places_[i];
  const Place& b = places_[j];
  switch (base) {
    case Base::loc:
      return a.cells.size() == 1 && a.cells == b.cells;
    case Base::vloc:
      return a.cells.size() == 1 && a.cells == b.cells && a.symbol == b.symbol && a.symbol != k_none;
    case Base::int_:
    case Base::ext:
    case Base::sr:
    case Base::scta:
    case Base::sgpu:
    case Base::scluster:
    case Base::swarp:
    case Base::ssg:
    case Base::sqf:
    case Base::swg:
    case Base::sdv:
    case Base::ssw:
      return true;
    default:
      return false;
  }
}

}  // namespace fencepost::encode
