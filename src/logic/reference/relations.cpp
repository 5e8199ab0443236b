#include "reference/relations.h"

#include <algorithm>
#include <map>

#include "prog/test.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::reference {
namespace {

using prog::k_none;
using vocab::Base;
using vocab::Tag;

// The scope that an event names: the narrowest tag counts, as PTX takes the first of CTA, GPU, SYS.
std::optional<uint32_t> scope_level(vocab::Dialect d, const Event& e) {
  static constexpr Tag k_order[] = {Tag::WI, Tag::SG,  Tag::CTA, Tag::CLUSTER, Tag::WG,
                                    Tag::QF, Tag::GPU, Tag::DV,  Tag::ALL,     Tag::SYS};
  for (Tag t : k_order)
    if (e.tags.has(t))
      if (auto level = vocab::level_of(d, t)) return level;
  return std::nullopt;
}

bool inside(const prog::Test& test, uint32_t a, uint32_t b, uint32_t level) {
  if (level == vocab::k_level_thread) return a == b;
  return prog::same_scope(test.threads[a], test.threads[b], level);
}

}  // namespace

prog::SymbolId own_symbol(const prog::Test& test, prog::ObjectId object) {
  for (prog::SymbolId s = 0; s < test.symbols.size(); ++s)
    if (test.symbols[s].object == object && test.symbols[s].aliased == k_none) return s;
  return k_none;
}

std::optional<Cell> cell_at(const prog::Test& test, uint64_t address) {
  for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
    const uint64_t base = prog::address_of(o);
    if (address >= base && address - base < test.objects[o].init.size()) return Cell{o, address - base};
  }
  return std::nullopt;
}

vocab::TagSet event_tags(const prog::Instr& instr, uint32_t part) {
  vocab::TagSet tags = part == 0 ? instr.tags : instr.store_tags;
  switch (instr.kind) {
    case prog::Kind::load:
      tags.add(Tag::R);
      break;
    case prog::Kind::store:
      tags.add(Tag::W);
      break;
    case prog::Kind::rmw:
      tags.add(part == 0 ? Tag::R : Tag::W).add(Tag::RMW);
      break;
    case prog::Kind::fence:
      // Availability and visibility operations are events of their own kind.
      if (!tags.has(Tag::AVDEVICE) && !tags.has(Tag::VISDEVICE)) tags.add(Tag::F);
      break;
    default:
      break;
  }
  return tags;
}

vocab::TagSet failed_tags(const prog::Instr& instr) {
  return instr.failed_tags ? vocab::TagSet(*instr.failed_tags).add(Tag::R).add(Tag::RMW) : event_tags(instr, 0);
}

bool is_sc_fence(const Event& e) { return e.tags.has(Tag::F) && e.tags.has(Tag::SC); }

bool has_fence_order(vocab::Dialect d) {
  for (const vocab::BaseInfo& b : vocab::bases())
    if (b.base == Base::fsc) return (b.dialects >> static_cast<int>(d)) & 1;
  return false;
}

std::vector<Event> init_events(const prog::Test& test) {
  std::vector<Event> out;
  for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
    const prog::Object& obj = test.objects[o];
    for (uint32_t c = 0; c < obj.init.size(); ++c) {
      Event e;
      e.key = {k_init, o, c, 0};
      e.tags = obj.tags;
      e.tags.add(Tag::IW).add(Tag::W);
      e.is_memory = true;
      e.object = o;
      e.symbol = own_symbol(test, o);
      e.address = prog::address_of(o, c);
      e.value = obj.init[c];
      if (c < obj.init_address.size() && obj.init_address[c] != k_none)
        e.value = prog::address_of(test.symbols[obj.init_address[c]].object);
      e.value &= term::mask(obj.width);
      e.span = obj.span;
      out.push_back(std::move(e));
    }
  }
  return out;
}

namespace {

const prog::Instr* instruction_of(const prog::Test& test, const Event& e) {
  return e.key.thread == k_init ? nullptr : &test.instrs(e.key.thread)[e.key.instr];
}

// A number for each time that an instruction, or an asynchronous operation of several, was executed: the events of one
// time stand in the order of the code, whichever of them were skipped, and the next time goes back to the first.
std::vector<uint32_t> executions(const prog::Test& test, const std::vector<Event>& events) {
  struct Last {
    uint32_t number, instr, part;
  };
  std::vector<uint32_t> out(events.size());
  std::map<std::pair<uint32_t, uint32_t>, Last> last;  // by thread and operation
  for (uint32_t i = 0; i < events.size(); ++i) {
    const EventKey& k = events[i].key;
    const prog::Instr* in = instruction_of(test, events[i]);
    out[i] = i;
    if (in == nullptr) continue;
    if (in->operation == k_none) {
      if (k.part == 1 && i > 0 && events[i - 1].key.instr == k.instr) out[i] = i - 1;
      continue;
    }
    const auto [at, first] = last.try_emplace({k.thread, in->operation}, Last{i, k.instr, k.part});
    Last& l = at->second;
    if (!first && std::pair(k.instr, k.part) <= std::pair(l.instr, l.part)) l.number = i;
    l.instr = k.instr;
    l.part = k.part;
    out[i] = l.number;
  }
  return out;
}

// si, await and home (PTX).
void instruction_relations(const prog::Test& test, const std::vector<Event>& events, std::vector<Relation>& base) {
  const auto rel = [&](Base b) -> Relation& { return base[static_cast<size_t>(b)]; };
  const uint32_t cta = *vocab::level_of(vocab::Dialect::ptx, "cta");
  const std::vector<uint32_t> execution = executions(test, events);
  for (uint32_t i = 0; i < events.size(); ++i) {
    const Event& a = events[i];
    const prog::Instr* p = instruction_of(test, a);
    for (uint32_t j = 0; j < events.size(); ++j) {
      const Event& b = events[j];
      if (execution[i] == execution[j]) rel(Base::si).set(i, j);
      if (p == nullptr) continue;
      if (b.is_memory && test.objects[b.object].home != k_none &&
          inside(test, a.key.thread, test.objects[b.object].home, cta))
        rel(Base::home).set(i, j);
      const prog::Instr* q = instruction_of(test, b);
      if (q == nullptr || a.key.thread != b.key.thread || p->operation == k_none || !a.tags.has(Tag::ASY)) continue;
      if (std::find(q->awaits.begin(), q->awaits.end(), p->operation) != q->awaits.end()) rel(Base::await).set(i, j);
    }
  }
}

}  // namespace

std::vector<Relation> fixed_relations(const prog::Test& test, const std::vector<Event>& events,
                                      const Dependencies& deps) {
  const uint32_t n = static_cast<uint32_t>(events.size());
  std::vector<Relation> base(vocab::k_bases, Relation(n));
  const auto rel = [&](Base b) -> Relation& { return base[static_cast<size_t>(b)]; };
  rel(Base::id) = Relation::identity(n);

  const vocab::Dialect d = test.dialect;
  struct LevelBase {
    Base base;
    const char* level;
  };
  static constexpr LevelBase k_levels[] = {{Base::swarp, "warp"}, {Base::scta, "cta"},        {Base::sgpu, "gpu"},
                                           {Base::ssg, "sg"},     {Base::swg, "wg"},          {Base::sqf, "qf"},
                                           {Base::sdv, "dv"},     {Base::scluster, "cluster"}};
  std::vector<std::pair<Base, uint32_t>> levels;
  for (const LevelBase& l : k_levels)
    if (auto level = vocab::level_of(d, l.level)) levels.push_back({l.base, *level});

  std::vector<std::optional<uint32_t>> scope(n);
  std::vector<uint64_t> cell(n, 0);
  std::vector<prog::SymbolId> generic(n, k_none);
  for (uint32_t i = 0; i < n; ++i) {
    scope[i] = scope_level(d, events[i]);
    if (!events[i].is_memory) continue;
    cell[i] = events[i].address - prog::address_of(events[i].object);
    if (events[i].symbol != k_none) generic[i] = test.symbols[events[i].symbol].generic;
  }

  for (uint32_t i = 0; i < n; ++i) {
    const Event& a = events[i];
    for (uint32_t j = 0; j < n; ++j) {
      const Event& b = events[j];
      const bool init = a.key.thread == k_init || b.key.thread == k_init;
      const bool same_thread = init ? i == j : a.key.thread == b.key.thread;
      rel(same_thread ? Base::int_ : Base::ext).set(i, j);
      if (same_thread && !init && i < j) rel(Base::po).set(i, j);
      if (a.is_memory && b.is_memory) {
        if (a.address == b.address) rel(Base::loc).set(i, j);
        if (generic[i] != k_none && generic[i] == generic[j] && cell[i] == cell[j]) rel(Base::vloc).set(i, j);
      }
      if (init) continue;
      const uint32_t s = a.key.thread;
      const uint32_t t = b.key.thread;
      if (scope[i] && scope[j] && inside(test, s, t, *scope[i]) && inside(test, s, t, *scope[j]))
        rel(Base::sr).set(i, j);
      for (const auto& [which, level] : levels)
        if (inside(test, s, t, level)) rel(which).set(i, j);
    }
  }
  for (const auto& [from, to] : test.ssw)
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j)
        if (events[i].key.thread == from && events[j].key.thread == to) rel(Base::ssw).set(i, j);

  const auto put = [&](Base b, const Pairs& pairs) {
    for (const auto& [i, j] : pairs) rel(b).set(i, j);
  };
  put(Base::data, deps.data);
  put(Base::addr, deps.addr);
  put(Base::ctrl, deps.ctrl);
  put(Base::amo, deps.amo);
  if (d == vocab::Dialect::ptx) instruction_relations(test, events, base);
  return base;
}

}  // namespace fencepost::reference
