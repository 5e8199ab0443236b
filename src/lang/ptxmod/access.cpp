// Accesses to memory, atomic operations, fences and barriers (PTX ISA, sections "Data Movement and Conversion
// Instructions", "Parallel Synchronization and Communication Instructions", "Memory Consistency Model").
//
// A vector access is one of each element, in no order (8.2.4): of weak and relaxed ones program order between the
// elements says nothing either; acquiring and releasing ones are refused. An access outside of its object, and one that
// is not on a multiple of its size, is undefined behaviour, which the answer flags.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using prog::k_none;
using prog::Kind;
using prog::TagSet;
using T = term::Op;
using vocab::Tag;

namespace {

constexpr uint64_t k_most_lengthened = 4096;
constexpr uint64_t k_barriers = 16, k_warp = 32;

struct Mode {  // of an access, from its modifiers
  std::string order, scope, space, type;
  uint32_t lanes = 1;
  bool constant = false;  // .nc
  std::vector<std::string> others;
};

bool is_scope(const std::string& w) { return w == "cta" || w == "cluster" || w == "gpu" || w == "sys"; }
Tag scope_tag(const std::string& w) {
  return w == "cta" ? Tag::CTA : w == "cluster" ? Tag::CLUSTER : w == "gpu" ? Tag::GPU : Tag::SYS;
}

// Hints for caches say nothing of what is read (9.7.9.1: "no effect on the memory consistency").
bool is_hint(const std::string& w) {
  static const char* hints[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "cop", "L2::cache_hint", "unified", "ptr"};
  return std::find(std::begin(hints), std::end(hints), w) != std::end(hints) || w.starts_with("L1::") ||
         w.starts_with("L2::") || w.starts_with("level::");
}

Mode mode_of(const std::vector<std::string>& words) {
  static const char* orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile"};
  static const char* spaces[] = {"global", "shared", "local", "param", "const"};
  Mode m;
  for (size_t k = 1; k < words.size(); ++k) {
    const std::string& w = words[k];
    std::string space = w.substr(0, w.find("::"));
    if (k + 1 == words.size() && bytes_of(w) != 0)
      m.type = w;
    else if (std::find(std::begin(orders), std::end(orders), w) != std::end(orders) && m.order.empty())
      m.order = w;
    else if (is_scope(w) && m.scope.empty())
      m.scope = w;
    else if ((w == "shared::cta" || w == "param::entry" || w == "param::func" || w == space) && m.space.empty() &&
             std::find(std::begin(spaces), std::end(spaces), space) != std::end(spaces))
      m.space = space;
    else if (w == "v2" || w == "v4" || w == "v8")
      m.lanes = static_cast<uint32_t>(w[1] - '0');
    else if (w == "nc")
      m.constant = true;
    else if (!is_hint(w))
      m.others.push_back(w);
  }
  return m;
}

}  // namespace

// ---- places --------------------------------------------------------------------------------------------

uint32_t Lowering::root(const RootKey& key) {
  const auto [it, fresh] = root_of_.try_emplace(key, static_cast<uint32_t>(roots_.size()));
  if (fresh) roots_.push_back(key);
  return it->second;
}

bool Lowering::windowed(const Target& t) const {
  if (t.root == k_number_root || roots_[t.root].at != k_itself) return false;
  const std::string& space = flat_.variables[roots_[t.root].variable].space;
  return space == "shared" || space == "local" || space == "const";
}

// `cvta`: of an address of that space the generic one, or back. What it makes of any other is a number.
Value Lowering::converted(const Value& v, const std::string& space, bool to_generic) {
  if (!v.is(Value::Kind::address)) return v;
  Value out = v;
  for (Target& t : out.targets) {
    if (t.root == k_number_root) continue;
    const RootKey& key = roots_[t.root];
    if (key.at != k_itself) {
      if (space == "shared" || space == "local" || space == "const")
        refuse(fmt::format("{} is given to the kernel, and what such addresses point at is read as global memory",
                           memory_.name(key)));
      memory_.note_address(key);
      continue;
    }
    const std::string& in = flat_.variables[key.variable].space;
    if (in == space && windowed(t) && t.generic != to_generic) {
      t.generic = to_generic;
    } else if (in != space ? windowed(t) || space == "shared" || space == "local" || space == "const" : windowed(t)) {
      t.offset = number_of(t);
      t.root = k_number_root;
      t.generic = false;
    }
  }
  return out;
}

bool Lowering::surely_address(const Target& t) {
  if (t.root == k_number_root) return false;
  const RootKey& r = roots_[t.root];
  if (r.at == k_itself || memory_.decision(r).addressed) return true;
  memory_.note_number(r);  // until it is accessed
  return false;
}

bool Lowering::own(uint32_t r) const {
  const RootKey& key = roots_[r];
  return key.at == k_itself && flat_.variables[key.variable].space == "local" && !memory_.decision(key).in_memory;
}

std::string Lowering::instance(uint32_t r) const {
  const RootKey& key = roots_[r];
  if (key.at != k_itself) return "";
  const std::string& space = flat_.variables[key.variable].space;
  const spirv::Grid& g = launch_.grid;
  if (space == "shared" && g.workgroup_count() * g.queue_families * g.devices > 1)
    return fmt::format("@{}{}", flat_.cuda ? "block" : "cta", launch_.global_workgroup(place_));
  if (space == "local") return fmt::format("@{}", thread_);
  return "";
}

Expr Lowering::guarded(const Expr& e) const {
  if (!guard_) return e;
  return e ? term::binary(T::and_, guard_, e) : guard_;
}

void Lowering::undefined_behaviour(const Expr& when) {
  if (when && when.is_const(0)) return;
  const prog::RegId p = when && !when.is_const() ? set(when, "outside") : k_none;
  prog::Instr& in = emit(Kind::fence, "undefined_behaviour");
  in.tags = {Tag::UB};
  in.predicate = p;
}

// The address in brackets; an operand beside it (a cache policy) is passed over.
Value Lowering::pointer(const Argument& a, const std::string& space) {
  if (a.kind != Argument::Kind::address || a.parts.empty()) fail("expected an address in brackets");
  const Argument& base = a.parts[0];
  if (base.kind == Argument::Kind::list) refuse("coordinates are not read");
  Argument plain = base;
  plain.offset = 0;
  Value v = value(plain, 64);
  if (base.kind == Argument::Kind::reg && v.is(Value::Kind::undefined))
    refuse(fmt::format("{} is used as an address and was never set", base.name));
  if (base.offset != 0 && v.is(Value::Kind::address))
    for (Target& t : v.targets)
      t.offset = term::binary(T::add, t.offset, term::constant(static_cast<uint64_t>(base.offset), 64));
  if (!v.is(Value::Kind::address))
    refuse("the address is a number that is not known to be in an object",
           space == "local" || v.is(Value::Kind::unknown) ? "" : "memory that holds addresses is not read");
  return v;
}

// An access through a state space is of an address of that space, a generic one of a generic address (6.4.1, 9.7.9).
// Vectors lie on multiples of their whole size (6.4.1.1). `bytes`: of the whole access.
void Lowering::in_space(const Value& address, const std::string& space, uint32_t bytes) {
  for (const Target& t : address.targets) {
    if (t.root == k_number_root) continue;
    const RootKey& key = roots_[t.root];
    const std::string& in = flat_.variables[key.variable].space;
    const bool parameter = in == "param" || (in == "local" && space == "param");
    if (key.at != k_itself) {
      if (space == "shared" || space == "local" || space == "const")
        refuse(fmt::format("{} is given to the kernel, and what such addresses point at is read as global memory",
                           memory_.name(key)));
    } else if (!parameter && (space.empty() ? windowed(t) && !t.generic : space != in || t.generic)) {
      undefined_behaviour(guarded(t.when));
    }
    misaligned(t, bytes);
  }
}

void Lowering::misaligned(const Target& t, uint32_t bytes) {
  if (bytes <= 1 || divisor(t.offset, bytes) == bytes) return;
  const Expr off =
      term::binary(T::ne, term::binary(T::and_, t.offset, term::constant(bytes - 1, 64)), term::constant(0, 64));
  undefined_behaviour(guarded(t.when ? term::binary(T::and_, t.when, off) : off));
}

std::vector<Lowering::Spot> Lowering::spots(const Value& address, uint32_t bytes, bool strong, bool writes) {
  std::vector<Spot> out;
  for (const Target& t : address.targets) {
    Expr when = guarded(t.when);
    if (when && when.is_const(0)) continue;
    if (when && when.is_const(1)) when = {};
    if (t.root == k_number_root) {
      if (!t.offset.is_const()) refuse("the address is a number that is not known to be in an object");
      undefined_behaviour(when);
      continue;
    }
    const RootKey key = roots_[t.root];
    Decision& d = memory_.decision(key);
    if (key.at != k_itself) memory_.note_address(key);
    const Variable& v = flat_.variables[key.variable];
    const bool parameter = key.at == k_itself && v.space == "param";
    if (parameter && writes) fail("parameters of a kernel are not written");
    if (parameter && bytes > 4) refuse("a computed place in the kernel's parameters is read for at most 32 bits");
    if ((v.space == "local" || parameter) && key.at == k_itself && !d.in_memory) {
      d.in_memory = true;
      throw Restart{};
    }
    if (writes && key.at == k_itself && v.space == "const") fail(fmt::format("{} is constant", v.name));
    if (writes) memory_.note_write(key, node_->span);
    Spot s;
    s.root = t.root;
    const auto all = [&](const Expr& e) { return when ? term::binary(T::and_, when, e) : e; };
    std::optional<int64_t> at;
    if (t.offset.is_const()) at = static_cast<int64_t>(t.offset.value());
    const bool aligned = at ? *at % static_cast<int64_t>(bytes) == 0 : divisor(t.offset, bytes) == bytes;
    if (!aligned) {
      const Expr off =
          term::binary(T::ne, term::binary(T::and_, t.offset, term::constant(bytes - 1, 64)), term::constant(0, 64));
      undefined_behaviour(all(off));
      if (at) continue;
      when = all(term::unary(T::not_, off));
    }
    // Numbers that addresses were used as lie that far apart: what was meant is another object.
    if (at && notes_.addresses && std::llabs(*at) >= 0x8000 && (*at < 0 || !memory_.open_ended(key)))
      refuse("the address is computed from numbers that other addresses were used as");
    if (at && !memory_.open_ended(key) && (*at < 0 || static_cast<uint64_t>(*at) + bytes > memory_.bytes(key))) {
      undefined_behaviour(when);
      continue;
    }
    if (at && *at < 0) {
      undefined_behaviour(when);
      continue;
    }
    memory_.use(key, at, bytes);
    s.width = static_cast<uint8_t>(8 * (d.apart ? bytes : d.cell));
    s.count = d.apart ? 1 : std::max<uint32_t>(1, bytes / d.cell);
    if (strong && s.count > 1)
      refuse(fmt::format("a strong access of {} bits to {}, which is also accessed in pieces of {} bits", 8 * bytes,
                         memory_.name(key), 8 * d.cell),
             "the memory model says nothing of mixed sizes");
    notes_.sizes = notes_.sizes || (s.count > 1 && !d.in_memory);
    const uint64_t cell = d.apart ? bytes : d.cell, limit = d.apart ? 1 : memory_.limit(key);
    if (d.apart) {
      s.first.symbol = memory_.symbol(key, instance(t.root), *at, bytes);
    } else if (at) {
      const uint64_t index = static_cast<uint64_t>(*at) / cell;
      if (index + s.count > limit && !memory_.open_ended(key)) {
        undefined_behaviour(when);
        continue;
      }
      if (index + s.count > std::max(limit, k_most_lengthened)) {
        if (!d.whole && !d.computed && memory_.given(key) == nullptr) {  // far places are objects of their own
          d.apart = true;
          throw Restart{};
        }
        refuse(fmt::format("a place {} elements into {}", index, memory_.name(key)),
               "smaller inputs keep the test small");
      }
      if (index + s.count > limit) {
        d.cells = index + s.count;
        if (d.computed) throw Restart{};
      }
      s.first.symbol = memory_.symbol(key, instance(t.root), 0, bytes);
      if (index != 0) s.first.index = term::constant(index, 64);
    } else {
      const auto shift = static_cast<uint64_t>(std::countr_zero(cell));
      Expr index = shift == 0 ? t.offset : term::binary(T::lshr, t.offset, term::constant(shift, 64));
      const Expr inside =
          limit < s.count ? term::constant(0, 1) : term::binary(T::ult, index, term::constant(limit - s.count + 1, 64));
      s.first.symbol = memory_.symbol(key, instance(t.root), 0, bytes);
      if (memory_.open_ended(key)) {
        undefined_behaviour(all(term::binary(T::slt, t.offset, term::constant(0, 64))));
        s.inside = var(set(inside, "inside"));
        const Expr beyond =
            term::binary(T::add, term::binary(T::and_, index, term::constant(memory_.elsewhere() - 1, 64)),
                         term::constant(limit, 64));
        index = term::ite(s.inside, index, beyond);
      } else {
        undefined_behaviour(all(term::unary(T::not_, inside)));
        when = all(inside);
      }
      s.first.index = index;
    }
    if (when && when.is_const(0)) continue;
    if (when && when.is_const(1)) when = {};
    s.when = when;
    if (when) s.predicate = set(when, "taken");
    out.push_back(std::move(s));
  }
  return out;
}

// What a parameter of the kernel is: its input, a pointer to a buffer, or a value that nobody gave.
Value Lowering::parameter(uint32_t r, int64_t at, uint32_t bytes) {
  const RootKey key = roots_[r];
  const Variable& v = flat_.variables[key.variable];
  if (at < 0 || static_cast<uint64_t>(at) + bytes > v.bytes) fail(fmt::format("{} ends before this place", v.name));
  const auto w = static_cast<uint8_t>(8 * bytes);
  const RootKey part{key.variable, at};
  if (const Given* g = memory_.given(part); g != nullptr && !g->value.is_list) {
    const auto s = static_cast<int64_t>(g->value.number);
    if (v.array && g->element == 0 && w < 64 && g->value.number > term::mask(w) &&
        (s >= 0 || s < -(int64_t{1} << (w - 1))))
      litmus::fail_at(g->value.span, fmt::format("this number does not fit into the {} bits that are read", w),
                      fmt::format("{} {} reads them", node_->span.location(), node_->mnemonic()));
    return Value::constant(g->value.number, w);
  }
  if (!v.array && at > 0)  // a piece of a number whose input is given
    if (const Given* g = memory_.given({key.variable, 0}); g != nullptr && !g->value.is_list)
      return Value::constant(g->value.number >> (8 * at), w);
  if (const Given* g = memory_.given({key.variable, k_itself}); g != nullptr && g->typed)  // a structure of CUDA C++
    if (const auto x = memory_.initial({key.variable, k_itself}, static_cast<uint64_t>(at), bytes)) {
      bool all = static_cast<uint64_t>(at) + bytes <= g->bytes.size();
      for (uint32_t b = 0; all && b < bytes; ++b) all = g->bytes[static_cast<size_t>(at) + b] >= 0;
      if (all) return Value::constant(*x, w);
    }
  if (!memory_.note_piece(key.variable, at, bytes))
    refuse(fmt::format("{} is read in pieces that overlap, and no input says what it is", v.name),
           "give it a value by @Input or --input");
  if (flat_.cuda && memory_.type(part) == nullptr) {  // no pointer stands there
    const auto [leaf, begin] = leaf_at(v.type, static_cast<uint64_t>(at));
    if (leaf != nullptr && leaf->is_float) return Value::opaque(w);
    return Value::unknown(v.name + leaf_name(v.type, static_cast<uint64_t>(at)), w);
  }
  if (bytes == 8) return Value::address({Target{{}, root(part), term::constant(0, 64)}}, 64);
  return Value::unknown(at == 0 ? v.name : fmt::format("{}.{}", v.name, at), w);
}

// ---- loads and stores --------------------------------------------------------------------------------------

Value Lowering::load(const Value& address, uint32_t bytes, const TagSet& tags, const std::string& mnemonic, bool strong,
                     const std::string& name) {
  const auto w = static_cast<uint8_t>(8 * bytes);
  if (address.targets.size() == 1 && address.targets[0].root != k_number_root && address.targets[0].offset.is_const()) {
    const uint32_t r = address.targets[0].root;
    const RootKey key = roots_[r];
    const Variable& v = flat_.variables[key.variable];
    const auto at = static_cast<int64_t>(address.targets[0].offset.value());
    if (key.at == k_itself && v.space == "param" && (bytes > 4 || !memory_.decision(key).in_memory))
      return parameter(r, at, bytes);
    if (key.at == k_itself && v.space == "const" && at >= 0 && static_cast<uint64_t>(at) + bytes <= v.bytes)
      if (const auto x = memory_.initial(key, static_cast<uint64_t>(at), bytes)) return Value::constant(*x, w);
    if (own(r)) {
      if (at >= 0 && static_cast<uint64_t>(at) + bytes <= v.bytes) return own_bytes({true, r, at, bytes});
    }
  }
  Expr result;
  bool opaque = false;
  for (const Spot& s : spots(address, bytes, strong, false)) {
    const RootKey& key = roots_[s.root];
    opaque = opaque || memory_.decision(key).opaque;
    Expr whole;
    for (uint32_t part = 0; part < s.count; ++part) {
      const prog::RegId r = reg(s.count == 1 ? name : fmt::format("{}.{}", name, part), s.width);
      if (s.predicate != k_none) {  // a failed predicate must leave nothing of an earlier run
        prog::Instr& clear = emit(Kind::local, "mov");
        clear.dst = r;
        clear.value = term::constant(0, s.width);
      }
      prog::Instr& in = emit(Kind::load, mnemonic);
      in.dst = r;
      in.addr = s.first;
      if (part != 0)
        in.addr.index =
            s.first.index ? term::binary(T::add, s.first.index, term::constant(part, 64)) : term::constant(part, 64);
      in.predicate = s.predicate;
      in.tags = tags;
      in.tags.add(Tag::R);
      const Expr e = term::resize(var(r), w, false);
      whole = part == 0
                  ? e
                  : term::binary(T::or_, whole, term::binary(T::shl, e, term::constant(uint64_t{part} * s.width, w)));
    }
    if (s.inside && !s.inside.is_const(1)) {  // elsewhere lies any value
      const Expr outside = term::unary(T::not_, s.inside);
      whole =
          term::ite(s.inside, whole, any(w, "elsewhere", s.when ? term::binary(T::and_, s.when, outside) : outside));
    }
    result = !result || !s.when ? whole : term::ite(s.when, whole, result);
  }
  if (opaque) return Value::opaque(w);
  if (!result) return Value::constant(0, w);  // behaviour is undefined on every way, or nothing is loaded
  return Value::scalar(result);
}

void Lowering::store(const Value& address, uint32_t bytes, const Value& v, const TagSet& tags,
                     const std::string& mnemonic, bool strong) {
  const auto w = static_cast<uint8_t>(8 * bytes);
  if (address.targets.size() == 1 && address.targets[0].root != k_number_root && address.targets[0].offset.is_const()) {
    const uint32_t r = address.targets[0].root;
    const RootKey key = roots_[r];
    const auto at = static_cast<int64_t>(address.targets[0].offset.value());
    if (own(r) && at >= 0 && static_cast<uint64_t>(at) + bytes <= flat_.variables[key.variable].bytes) {
      const Key piece{true, r, at, bytes};
      set_own_bytes(piece, guard_ ? select(guard_, v, own_bytes(piece)) : v);
      return;
    }
  }
  if (v.is(Value::Kind::address)) {
    const bool numbers = std::all_of(v.targets.begin(), v.targets.end(), [&](const Target& t) {
      return t.root == k_number_root || (roots_[t.root].at != k_itself && !memory_.decision(roots_[t.root]).addressed);
    });
    if (!numbers)
      refuse("memory that holds addresses is not read", "addresses may stand in registers and in memory of the thread");
  }
  const bool opaque = v.is(Value::Kind::opaque);
  const Expr e = opaque ? term::constant(0, w) : term(v);
  for (const Spot& s : spots(address, bytes, strong, true)) {
    Decision& d = memory_.decision(roots_[s.root]);
    if (opaque && !d.opaque) {
      d.opaque = true;
      throw Restart{};
    }
    for (uint32_t part = 0; part < s.count; ++part) {
      const Expr piece = part == 0 ? e : term::binary(T::lshr, e, term::constant(uint64_t{part} * s.width, w));
      prog::Instr& in = emit(Kind::store, mnemonic);
      in.addr = s.first;
      if (part != 0)
        in.addr.index =
            s.first.index ? term::binary(T::add, s.first.index, term::constant(part, 64)) : term::constant(part, 64);
      in.value = term::resize(piece, s.width, false);
      in.predicate = s.predicate;
      in.tags = tags;
      in.tags.add(Tag::W);
    }
  }
}

void Lowering::access(bool loads) {
  Mode m = mode_of(node_->words);
  if (!m.others.empty())
    refuse(fmt::format("'.{}' is not read", m.others.front()), "docs/ptx-modules.md lists what is");
  const uint32_t bytes = bytes_of(m.type);
  if (bytes == 0) fail("a type is missing");
  if (bytes > 8) refuse("accesses of 128 bits are not read");
  if (m.type.find('x') != std::string::npos) refuse(fmt::format("accesses of type .{} are not read", m.type));
  if (m.order.empty()) m.order = "weak";
  const bool strong = m.order != "weak";
  if (m.order == (loads ? "release" : "acquire") || m.order == "acq_rel")
    fail(fmt::format("'.{}' is not an order of {}", m.order, loads ? "loads" : "stores"));
  const bool scoped = strong && m.order != "volatile";
  if (scoped && m.scope.empty()) fail("a scope is missing", "add .cta, .cluster, .gpu or .sys");
  if (!scoped && !m.scope.empty()) fail(fmt::format("a {} access has no scope", m.order));
  if (m.lanes > 1 && (m.order == "acquire" || m.order == "release"))
    refuse(fmt::format("a vector access that is .{} is not read", m.order),
           "its elements have no order among each other");
  TagSet tags = {Tag::GEN};
  if (m.order == "weak")
    tags.add(Tag::WEAK);
  else if (m.order == "acquire")
    tags.add(Tag::ACQ);
  else if (m.order == "release")
    tags.add(Tag::REL);
  else
    tags.add(Tag::RLX);
  if (m.order == "volatile") tags.add(Tag::SYS);
  if (scoped) tags.add(scope_tag(m.scope));
  const std::string mnemonic = fmt::format("{}.{}{}", loads ? "ld" : "st", m.order, scoped ? "." + m.scope : "");
  const size_t place = loads ? 1 : 0;
  if (node_->args.size() < 2 || node_->args.size() > 3) arguments(2);
  const Value at = pointer(argument(place), m.space);
  in_space(at, m.space, m.lanes > 1 ? bytes * m.lanes : 1);  // of one element `spots` looks at the alignment
  const bool is_signed = m.type[0] == 's';
  const auto moved = [&](uint32_t k) {
    Value p = at;
    for (Target& t : p.targets) t.offset = term::binary(T::add, t.offset, term::constant(uint64_t{k} * bytes, 64));
    return p;
  };
  if (m.constant)
    for (const Target& t : at.targets)
      if (t.root != k_number_root) memory_.note_constant_read(roots_[t.root], node_->span);
  if (loads) {
    std::vector<Value> lanes;
    for (uint32_t k = 0; k < m.lanes; ++k)
      lanes.push_back(settle(load(moved(k), bytes, tags, mnemonic, strong, result_name(k)), result_name(k)));
    load_lanes(argument(0), lanes, is_signed);
    return;
  }
  const Argument& from = argument(1);
  const auto w = static_cast<uint8_t>(8 * bytes);
  if (m.lanes == 1) {
    store(at, bytes, value(from.kind == Argument::Kind::list && from.parts.size() == 1 ? from.parts[0] : from, w), tags,
          mnemonic, strong);
    return;
  }
  if (from.kind != Argument::Kind::list || from.parts.size() != m.lanes)
    fail("a vector has as many elements as its type says");
  std::vector<Value> lanes;
  for (const Argument& a : from.parts) lanes.push_back(value(a, w));
  for (uint32_t k = 0; k < m.lanes; ++k) store(moved(k), bytes, lanes[k], tags, mnemonic, strong);
}

// ---- atomic operations ---------------------------------------------------------------------------------------

namespace {

// The types of an atomic operation (PTX ISA, atom and red), but for floating point.
const std::vector<std::string>& types_of(const std::string& operation) {
  static const std::map<std::string, std::vector<std::string>> all = {{"add", {"u32", "s32", "u64"}},
                                                                      {"inc", {"u32"}},
                                                                      {"dec", {"u32"}},
                                                                      {"min", {"u32", "s32", "u64", "s64"}},
                                                                      {"and", {"b32", "b64"}},
                                                                      {"or", {"b32", "b64"}},
                                                                      {"xor", {"b32", "b64"}},
                                                                      {"max", {"u32", "s32", "u64", "s64"}},
                                                                      {"exch", {"b32", "b64"}},
                                                                      {"cas", {"b16", "b32", "b64"}}};
  return all.at(operation);
}

}  // namespace

Expr combined(const std::string& operation, bool is_signed, const Expr& old, const Expr& x, const Expr& y) {
  const Expr zero = term::constant(0, old.width()), one = term::constant(1, old.width());
  if (operation == "add") return term::binary(T::add, old, x);
  if (operation == "and") return term::binary(T::and_, old, x);
  if (operation == "or") return term::binary(T::or_, old, x);
  if (operation == "xor") return term::binary(T::xor_, old, x);
  if (operation == "min") return term::binary(is_signed ? T::smin : T::umin, old, x);
  if (operation == "max") return term::binary(is_signed ? T::smax : T::umax, old, x);
  if (operation == "inc") return term::ite(term::binary(T::uge, old, x), zero, term::binary(T::add, old, one));
  if (operation == "dec")
    return term::ite(term::binary(T::or_, term::binary(T::eq, old, zero), term::binary(T::ugt, old, x)), x,
                     term::binary(T::sub, old, one));
  // A compare-and-swap always writes: the old value when the comparison fails.
  if (operation == "cas") return term::ite(term::binary(T::eq, old, x), y, old);
  return x;
}

void Lowering::atomic(bool reduces) {
  static const char* operations[] = {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"};
  Mode m = mode_of(node_->words);
  std::string operation;
  bool floats = false;
  for (const std::string& w : m.others) {
    if (operation.empty() && std::find(std::begin(operations), std::end(operations), w) != std::end(operations))
      operation = w;
    else if (w == "noftz")
      floats = true;
    else
      refuse(fmt::format("'.{}' is not read", w), "docs/ptx-modules.md lists what is");
  }
  const std::string& type = m.type;
  const uint32_t bytes = bytes_of(type);
  if (operation.empty() || bytes == 0) fail("an atomic operation has an operation and a type, for example .add.u32");
  if (bytes > 8 || m.lanes > 1) refuse("atomic operations on vectors and on 128 bits are not read");
  floats = floats || type[0] == 'f' || type.starts_with("bf");
  const std::vector<std::string>& types = types_of(operation);
  if (!floats && std::find(types.begin(), types.end(), type) == types.end())
    fail(fmt::format("{} has no .{} of type .{}", node_->words[0], operation, type),
         fmt::format("the PTX ISA has .{}", fmt::join(types, ", .")));
  if (m.order.empty()) m.order = "relaxed";
  if (m.scope.empty()) m.scope = "gpu";
  if (m.order == "weak" || m.order == "volatile" || (reduces && (m.order == "acquire" || m.order == "acq_rel")))
    fail(fmt::format("'.{}' is not an order of {}", m.order, node_->words[0]));
  if (reduces && (operation == "exch" || operation == "cas")) fail(fmt::format("red has no .{}", operation));
  const auto w = static_cast<uint8_t>(8 * bytes);
  const size_t first = reduces ? 0 : 1, operands = operation == "cas" ? 2 : 1;
  if (node_->args.size() < first + 1 + operands || node_->args.size() > first + 2 + operands)
    arguments(first + 1 + operands);
  const Value at = pointer(argument(first), m.space);
  in_space(at, m.space, 1);
  const Value b = value(argument(first + 1), w), c = operands == 2 ? value(argument(first + 2), w) : b;
  for (const Value* v : {&b, &c})
    if (v->is(Value::Kind::address)) {
      const RootKey& r = roots_[v->targets[0].root];
      if (v->targets.size() != 1 || r.at == k_itself || memory_.decision(r).addressed)
        refuse("memory that holds addresses is not read");
    }
  const bool opaque = floats || b.is(Value::Kind::opaque) || c.is(Value::Kind::opaque);
  const Expr x = opaque ? term::constant(0, w) : term(b), y = opaque || operands == 1 ? x : term(c);
  const bool is_signed = type[0] == 's';
  const bool acquires = m.order == "acquire" || m.order == "acq_rel",
             releases = m.order == "release" || m.order == "acq_rel";
  TagSet read = {Tag::GEN, Tag::RMW, scope_tag(m.scope)}, write = read;
  read.add(Tag::R).add(acquires ? Tag::ACQ : Tag::RLX);
  write.add(Tag::W).add(releases ? Tag::REL : Tag::RLX);
  if (reduces) read.add(Tag::RED);
  const std::string mnemonic = fmt::format("{}.{}.{}.{}", reduces ? "red" : "atom", m.order, m.scope, operation);
  Expr out;
  bool opaque_old = opaque;
  for (const Spot& s : spots(at, bytes, true, true)) {
    Decision& d = memory_.decision(roots_[s.root]);
    if (opaque && !d.opaque) {
      d.opaque = true;
      throw Restart{};
    }
    opaque_old = opaque_old || d.opaque;
    const prog::RegId r = reg(reduces ? "old" : result_name(), w);
    if (s.predicate != k_none) {
      prog::Instr& clear = emit(Kind::local, "mov");
      clear.dst = r;
      clear.value = term::constant(0, w);
    }
    prog::Instr& in = emit(Kind::rmw, mnemonic);
    in.dst = r;
    in.addr = s.first;
    in.value =
        d.opaque ? term::constant(0, w) : combined(operation, is_signed, term::variable(prog::k_old_value, w), x, y);
    in.predicate = s.predicate;
    in.tags = read;
    in.store_tags = write;
    Expr e = var(r);
    if (s.inside && !s.inside.is_const(1)) {
      const Expr outside = term::unary(T::not_, s.inside);
      e = term::ite(s.inside, e, any(w, "elsewhere", s.when ? term::binary(T::and_, s.when, outside) : outside));
    }
    out = !out || !s.when ? e : term::ite(s.when, e, out);
  }
  if (reduces) return;
  define(argument(0), opaque_old ? Value::opaque(w) : out ? Value::scalar(out) : Value::constant(0, w), is_signed);
}

// ---- fences ----------------------------------------------------------------------------------------------

void Lowering::fence() {
  const std::vector<std::string>& words = node_->words;
  const prog::RegId p = guard_ ? set(guard_, "taken") : k_none;
  const auto put = [&](std::string mnemonic, TagSet tags) {
    prog::Instr& in = emit(Kind::fence, std::move(mnemonic));
    in.tags = tags;
    in.predicate = p;
  };
  arguments(0);
  if (words[0] == "membar") {
    // From sm_70 on "membar.{cta,gl,sys} is a synonym of fence.sc.{cta,gpu,sys}".
    if (words.size() == 2 && (words[1] == "cta" || words[1] == "gl" || words[1] == "sys")) {
      const std::string scope = words[1] == "gl" ? "gpu" : words[1];
      put("fence.sc." + scope, {Tag::F, Tag::GEN, Tag::SC, scope_tag(scope)});
      return;
    }
    if (words.size() == 3 && words[1] == "proxy" && words[2] == "alias")
      return put("fence.proxy.alias", {Tag::F, Tag::ALIAS});
    refuse("this fence is not read", "membar is .cta, .gl or .sys");
  }
  if (words.size() == 3 && words[1] == "proxy" && words[2] == "alias")
    return put("fence.proxy.alias", {Tag::F, Tag::ALIAS});
  std::string order = "acq_rel", scope;  // fence.acq_rel is what a fence without an order is
  for (size_t k = 1; k < words.size(); ++k) {
    if (words[k] == "sc" || words[k] == "acq_rel" || words[k] == "acquire" || words[k] == "release")
      order = words[k];
    else if (is_scope(words[k]) && scope.empty())
      scope = words[k];
    else
      refuse(fmt::format("'.{}' is not read", words[k]),
             "fences are .sc, .acq_rel, .acquire or .release, and fence.proxy.alias");
  }
  if (scope.empty()) fail("a scope is missing", "add .cta, .cluster, .gpu or .sys");
  // Fences of one direction are of PTX 8.6; models before ptx-9 refuse them by name.
  const Tag tag = order == "sc"        ? Tag::SC
                  : order == "acquire" ? Tag::ACQ
                  : order == "release" ? Tag::REL
                                       : Tag::ACQ_REL;
  put(fmt::format("fence.{}.{}", order, scope), {Tag::F, Tag::GEN, tag, scope_tag(scope)});
}

// ---- barriers ----------------------------------------------------------------------------------------------

void Lowering::barrier() {
  const std::vector<std::string>& words = node_->words;
  size_t k = 1;
  if (k < words.size() && words[k] == "warp") {
    if (words.size() != 3 || words[2] != "sync") refuse("this barrier is not read");
    arguments(1);
    const Expr mask = number(argument(0), 32);
    if (!mask.is_const()) refuse("a mask that is computed is not read");
    warp_barrier(mask.value());
    return;
  }
  if (k < words.size() && words[k] == "cta") ++k;
  const std::string mode = k < words.size() ? words[k++] : "";
  const bool aligned = words.front() == "bar" || (k < words.size() && words[k] == "aligned");
  if (k < words.size() && words[k] == "aligned") ++k;
  if ((mode != "sync" && mode != "arrive") || k != words.size())
    refuse("this barrier is not read",
           "barriers are bar.sync, bar.arrive, barrier{.cta}.sync and .arrive, and bar.warp.sync");
  if (node_->args.empty() || node_->args.size() > 2) arguments(1);
  const Expr id = number(argument(0), 32);
  const uint32_t cta = launch_.grid.workgroup_size();
  prog::Instr in;
  if (id.is_const()) {
    if (id.value() >= k_barriers)
      fail(fmt::format("there is no barrier {}", id.value()), "barriers are numbered from 0 through 15");
    in.barrier.instance = std::to_string(id.value());
  } else {
    in.barrier.id = term::resize(id, 64, false);
  }
  notes_.aligned = notes_.aligned || (aligned && launch_.grid.subgroup > 1);
  in.barrier.arrive = mode == "arrive";
  in.barrier.everyone = true;
  if (node_->args.size() == 2) {
    const Expr n = number(argument(1), 32);
    if (!n.is_const()) refuse("a number of threads that is computed is not read");
    if (n.value() == 0 || n.value() % k_warp != 0)
      fail(fmt::format("{} threads are not whole warps", n.value()), "the number of threads is a multiple of 32");
    // Whole warps come: one of fewer lanes counts as one of 32.
    const uint64_t warps = n.value() / k_warp, threads = warps * launch_.grid.subgroup;
    if (threads > cta)
      refuse(fmt::format("a barrier for {} warps, where a CTA of the launch has {}", warps, launch_.grid.subgroups),
             "choose a launch with as many warps");
    if (threads < cta) {
      in.barrier.everyone = false;
      in.barrier.quorum = term::constant(threads, 64);
      if (in.barrier.by_value()) refuse("a number of threads beside a barrier whose number is computed is not read");
    }
  } else if (in.barrier.arrive) {
    fail("the number of threads is missing", "bar.arrive has the barrier and the number of threads that come");
  }
  prog::Instr& out = emit(Kind::barrier, mode == "arrive" ? "bar.cta.arrive" : "bar.cta.sync");
  out.barrier = in.barrier;
  out.barrier.level = *vocab::level_of(prog::Dialect::ptx, "cta");
  out.tags = {Tag::F, Tag::B};
}

// The lanes that name the same mask wait for each other ("with the same membermask value", bar.warp.sync), and what
// they did before is ordered before what they do behind.
void Lowering::warp_barrier(uint64_t mask) {
  const uint64_t lanes = term::mask(static_cast<uint8_t>(std::min<uint32_t>(launch_.grid.subgroup, 64)));
  if (launch_.grid.subgroup > 32) refuse("a warp has at most 32 threads");
  if ((mask >> place_.lane & 1) == 0) {
    undefined_behaviour(guard_);
    return;
  }
  if (guard_) refuse("a barrier of a warp under a predicate is not read");
  prog::Instr& out = emit(Kind::barrier, "bar.warp.sync");
  notes_.lanes = notes_.lanes || launch_.grid.subgroup == 1;
  out.barrier.instance = fmt::format("warp {:x}", mask);
  out.barrier.level = *vocab::level_of(prog::Dialect::ptx, "cta") + 1;
  out.barrier.everyone = (mask & lanes) == lanes;
  if (!out.barrier.everyone)
    out.barrier.quorum = term::constant(static_cast<uint64_t>(std::popcount(mask & lanes)), 64);
  out.tags = {Tag::F, Tag::B};
}

}  // namespace fencepost::ptxmod
