// One instruction or jump of one thread: everything but memory and barriers.
#include <algorithm>

#include "interp/run.h"
#include "ir/assembly.h"

namespace fencepost::interp {

Val Run::get(Thread& t, ValueId v) {
  Frame& f = t.frames.back();
  const Value& x = m_.function(f.function).value(v);
  switch (x.kind) {
    case Value::constant:
      return {.kind = x.type.kind == Type::pointer ? Val::pointer : Val::number, .bits = x.constant_bits};
    case Value::region_address:
      return base_of(t, f, x.region);
    case Value::function_address:
      return {.kind = Val::function, .bits = x.function.index};
    default:
      return f.values[v.index];
  }
}

void Run::step(Thread& t) {
  Frame& f = t.frames.back();
  const Block& b = m_.function(f.function).blocks[f.block.index];
  if (f.next < b.instructions.size()) {
    const Instruction& i = b.instructions[f.next];
    if (std::holds_alternative<Phi>(i.action)) return phis(t, b);
    ++f.next;
    place_ = i.place;
    std::visit([&](const auto& a) { execute(t, i, a); }, i.action);
    return;
  }
  place_ = b.place;
  std::visit([&](const auto& x) { leave(t, x); }, b.terminator);
}

void Run::phis(Thread& t, const Block& b) {
  Frame& f = t.frames.back();
  std::vector<std::pair<ValueId, Val>> made;
  while (f.next < b.instructions.size()) {
    const Instruction& i = b.instructions[f.next];
    const auto* p = std::get_if<Phi>(&i.action);
    if (p == nullptr) break;
    for (const Phi::Entry& e : p->entries)
      if (e.from == f.from) made.push_back({i.results[0], get(t, e.value)});
    ++f.next;
  }
  for (const auto& [r, v] : made) f.values[r.index] = v;
}

void Run::jump(Thread& t, BlockId to) {
  Frame& f = t.frames.back();
  if (shape_.lock_step) line(f.function).pass(f.block, to, f.iterations);
  f.from = f.block;
  f.block = to;
  f.next = 0;
  if (t.frames.size() == 1 && way_out_ != nullptr && way_out_->quiet(to) && !way_out_->bare(to)) t.quiet = to;
}

void Run::leave(Thread& t, const Branch& b) {
  const Val c = get(t, b.condition);
  decides(c);
  if (c.unknown) return finish(Outcome::unsupported, "a branch on a value that only the prover knows");
  jump(t, c.bits != 0 ? b.then_ : b.else_);
}

void Run::leave(Thread& t, const Switch& s) {
  const Val on = get(t, s.value);
  decides(on);
  const uint64_t v = on.bits;
  for (const auto& [value, to] : s.cases)
    if (value == v) return jump(t, to);
  jump(t, s.otherwise);
}

void Run::leave(Thread& t, const Return& r) {
  std::vector<Val> values;
  for (const ValueId v : r.values) values.push_back(get(t, v));
  t.frames.pop_back();
  if (t.frames.empty()) {
    t.state = Thread::done;
    return;
  }
  Frame& f = t.frames.back();
  const Instruction& call = m_.function(f.function).blocks[f.block.index].instructions[f.next - 1];
  for (size_t k = 0; k < call.results.size(); ++k) f.values[call.results[k].index] = values[k];
}

void Run::leave(Thread& t, const Unreachable&) {
  defect({.kind = DefectKind::assertion, .place = place_, .thread = t.who});
}

void Run::leave(Thread& t, const Trap&) {
  t.state = Thread::done;
  stop_ = true;  // the kernel ends here
}

void Run::set(Thread& t, const Instruction& i, Val v) {
  if (i.results.empty()) return;
  if (v.kind == Val::number) v.bits &= mask(width(t, i.results[0]));
  t.frames.back().values[i.results[0].index] = v;
}

void Run::execute(Thread& t, const Instruction& i, const Compute& c) {
  bool made_up = c.op == Op::any && c.imm == 1;
  for (const ValueId v : c.operands) made_up = made_up || get(t, v).made_up;
  compute(t, i, c);
  if (made_up && !i.results.empty()) t.frames.back().values[i.results[0].index].made_up = true;
}

void Run::compute(Thread& t, const Instruction& i, const Compute& c) {
  std::vector<Val> x;
  bool unknown = false;
  for (const ValueId v : c.operands) {
    x.push_back(get(t, v));
    unknown = unknown || x.back().unknown;
  }
  const uint32_t w = width(t, i.results[0]);
  Val r;
  switch (c.op) {
    case Op::ite:
      r = x[0].bits != 0 ? x[1] : x[2];
      r.unknown = x[0].unknown || r.unknown;
      return set(t, i, r);
    case Op::id:
      return set(t, i, {.bits = id(t, static_cast<IdKind>(c.imm), c.dimension)});
    case Op::any: {
      const bool pointer = m_.function(t.frames.back().function).value(i.results[0]).type.kind == Type::pointer;
      const uint64_t n = mix(mix(inputs_.seed, 0x5eed), mix(t.number, t.any_count++));
      r.bits = memory_.drawn(n, 0) | (w > 32 ? memory_.drawn(n, 1) << 32 : 0);
      if (pointer) r = {.kind = Val::pointer};
      return set(t, i, r);
    }
    case Op::pointer_add:
      r = x[0];
      r.kind = Val::pointer;
      r.bits = (r.bits + static_cast<uint64_t>(to_signed(x[1].bits, m_.pointer_bits))) & mask(m_.pointer_bits);
      r.unknown = unknown;
      return set(t, i, r);
    case Op::map_rank:
      return set(t, i, map_rank(t, x[0], x[1].bits));
    case Op::pointer_eq:
      return set(t, i,
                 {.unknown = unknown,
                  .bits = x[0].kind == x[1].kind && x[0].instance == x[1].instance && x[0].bits == x[1].bits});
    case Op::pointer_ult:
      return set(t, i,
                 {.unknown = unknown,
                  .bits = x[0].instance != x[1].instance ? x[0].instance < x[1].instance : x[0].bits < x[1].bits});
    case Op::pointer_to_bits:
      return set(t, i, {.unknown = unknown, .bits = memory_.address(x[0])});
    case Op::bits_to_pointer:
      r = memory_.pointer(x[0].bits);
      r.unknown = unknown;
      return set(t, i, r);
    case Op::pointer_offset:
      return set(t, i, {.unknown = unknown, .bits = x[0].bits});
    case Op::pointer_base:
      return set(t, i,
                 {.unknown = unknown, .bits = x[0].instance == 0 ? 0 : memory_.at(x[0].instance).region.index + 1});
    case Op::enabled:
      return set(t, i, {.bits = 1});
    case Op::other:
    case Op::dominator_enabled:
    case Op::old:
    case Op::return_value:
    case Op::accessed:
    case Op::access_offset:
    case Op::taken_value:
      return set(t, i, {.unknown = true});
    case Op::no_overflow_add: {
      const uint32_t ow = width(t, c.operands[0]);
      __int128 sum = 0;
      for (const Val& v : x)
        sum += c.imm != 0 ? static_cast<__int128>(to_signed(v.bits, ow)) : static_cast<__int128>(v.bits);
      const __int128 high = c.imm != 0 ? static_cast<__int128>(mask(ow) >> 1) : static_cast<__int128>(mask(ow));
      const __int128 low = c.imm != 0 ? -high - 1 : 0;
      return set(t, i, {.unknown = unknown, .bits = sum >= low && sum <= high});
    }
    case Op::concat:
      return set(t, i, {.unknown = unknown, .bits = x[0].bits << width(t, c.operands[1]) | x[1].bits});
    case Op::function: {
      std::vector<uint64_t> values;
      std::vector<uint32_t> widths;
      for (size_t k = 0; k < x.size(); ++k) {
        values.push_back(x[k].kind == Val::number ? x[k].bits : memory_.address(x[k]));
        widths.push_back(width(t, c.operands[k]));
      }
      bool known = false;
      r.bits = evaluate_function(m_.symbols[c.symbol.index], values, widths, w, known);
      r.made_up = !known;
      r.unknown = unknown;
      return set(t, i, r);
    }
    default: {
      std::vector<uint64_t> values;
      for (const Val& v : x) values.push_back(v.kind == Val::number ? v.bits : memory_.address(v));
      if (c.no_signed_wrap && !unknown && overflows(c.op, values, w))
        return finish(Outcome::impossible, "a signed number overflows: " + where(m_, i.place));
      return set(
          t, i, {.unknown = unknown, .bits = evaluate(c, values, c.operands.empty() ? w : width(t, c.operands[0]), w)});
    }
  }
}

// Overflow of signed numbers is undefined: no run of a program that is defined has it.
bool Run::overflows(Op op, const std::vector<uint64_t>& x, uint32_t w) {
  if (x.size() != 2 || w > 64) return false;
  const __int128 a = to_signed(x[0], w), b = to_signed(x[1], w), high = static_cast<__int128>(mask(w) >> 1);
  const __int128 r = op == Op::add ? a + b : op == Op::sub ? a - b : op == Op::mul ? a * b : 0;
  return r > high || r < -high - 1;
}

uint64_t Run::id(const Thread& t, IdKind k, uint32_t d) const {
  switch (k) {
    case IdKind::local_id:
      return t.who.local[d];
    case IdKind::group_id:
      return t.who.group[d];
    case IdKind::local_size:
      return shape_.local_size[d];
    case IdKind::num_groups:
      return shape_.num_groups[d];
    case IdKind::global_offset:
      return shape_.global_offset[d];
    case IdKind::work_dim:
      return shape_.work_dim;
    case IdKind::cluster_rank:
      return t.who.group[d] % std::max(1u, shape_.cluster[d]);
    case IdKind::cluster_size:
      return shape_.cluster[d];
    case IdKind::lane:
      return t.flat % std::max(1u, shape_.warp_size);
    case IdKind::warp:
      return t.warp;
    case IdKind::warp_size:
      return shape_.warp_size;
    case IdKind::num_warps:
      return (shape_.local_size[0] * shape_.local_size[1] * shape_.local_size[2] + shape_.warp_size - 1) /
             std::max(1u, shape_.warp_size);
  }
  return 0;
}

Val Run::map_rank(const Thread& t, const Val& p, uint64_t rank) {
  Val r = p;
  r.unknown = true;
  if (p.unknown || p.kind != Val::pointer || p.instance == 0) return r;
  const RegionId region = memory_.at(p.instance).region;
  if (m_.region(region).space != Space::group) return r;
  std::array<uint32_t, 3> g{};
  for (size_t d = 0; d < 3; ++d) {
    const uint32_t size = std::max(1u, shape_.cluster[d]);
    g[d] = t.who.group[d] / size * size + static_cast<uint32_t>(rank % size);
    rank /= size;
  }
  const auto it = group_numbers_.find(g);
  if (rank != 0 || it == group_numbers_.end()) return r;
  r.unknown = false;
  r.instance = memory_.instance(region, it->second);
  return r;
}

// What this scope orders between two groups of one cluster is not followed; a group's and a grid's is.
bool Run::of_more_groups(Scope s) const {
  return s == Scope::cluster && std::ranges::any_of(shape_.cluster, [](uint32_t n) { return n > 1; });
}

void Run::execute(Thread& t, const Instruction&, const Fence& f) {
  if (of_more_groups(f.scope)) return finish(Outcome::unsupported, "a fence of the scope of a cluster");
  out_.synchronises = true;
  if (happened_ != nullptr) happened_->fence(t.number, f);
}

void Run::execute(Thread& t, const Instruction&, const Snapshot& s) {
  const Val to = get(t, s.destination.pointer), from = get(t, s.source.pointer);
  if (to.instance == 0 || from.instance == 0) return;
  memory_.at(to.instance).bytes = memory_.at(from.instance).bytes;
  memory_.at(to.instance).salt = memory_.at(from.instance).salt;
}

void Run::execute(Thread& t, const Instruction&, const BarrierInvariant& b) {
  if (b.binary) {
    out_.unknown_annotations = true;
    return;
  }
  check(t, get(t, b.condition), DefectKind::assertion);
}

void Run::check(Thread& t, const Val& c, DefectKind kind) {
  decides(c);
  if (c.unknown)
    out_.unknown_annotations = true;
  else if (c.bits == 0)
    defect({.kind = kind, .place = place_, .thread = t.who});
}

void Run::execute(Thread& t, const Instruction&, const Annotation& a) {
  if (a.candidate) return;
  const Val c = get(t, a.condition);
  const bool entry = t.frames.size() == 1;
  switch (a.note) {
    case Note::assume:
    case Note::requires_:
      if (a.note == Note::requires_ && !entry) return check(t, c, DefectKind::precondition);
      if (c.unknown)
        out_.unknown_annotations = out_.unknown_requirements = true;
      else if (decides(c); c.bits == 0)
        finish(Outcome::impossible, "an assumption does not hold: " + where(m_, place_));
      return;
    case Note::assert_:
    case Note::invariant:
      return check(t, c, DefectKind::assertion);
    case Note::ensures:
    case Note::function_wide_invariant:
      out_.unknown_annotations = true;
      return;
  }
}

void Run::execute(Thread& t, const Instruction& i, const Call& c) {
  FunctionId callee = c.callee;
  if (!callee) {
    const Val p = get(t, c.pointer);
    decides(p);
    if (p.kind != Val::function) return defect({.kind = DefectKind::null_access, .place = place_, .thread = t.who});
    callee = {static_cast<uint32_t>(p.bits)};
    if (std::find(c.targets.begin(), c.targets.end(), callee) == c.targets.end())
      return finish(Outcome::unsupported, "a call through a pointer to a function of another type");
  }
  const Function& g = m_.function(callee);
  if (!g.body) {
    if (ir::assembly_effect(g)) out_.made_up = true;
    if (g.name.starts_with("__uninterpreted_function_")) {
      // A function all the same: one value for the same operands, but not the one that was meant.
      uint64_t n = mix(0xf00, callee.index);
      for (const ValueId a : c.arguments) {
        const Val v = get(t, a);
        n = mix(n, v.kind == Val::number ? v.bits : memory_.address(v));
      }
      for (const ValueId r : i.results) t.frames.back().values[r.index] = {.bits = n++ & mask(width(t, r))};
      out_.made_up = true;
      return;
    }
    for (const ValueId r : i.results) {
      const uint64_t n = mix(mix(inputs_.seed, 0xca11), mix(t.number, t.any_count++));
      t.frames.back().values[r.index] = {.bits = memory_.drawn(n, 0) & mask(width(t, r))};
    }
    return;
  }
  if (t.frames.size() > 200) return finish(Outcome::gave_up, "calls go too deep");
  Frame f{.function = callee, .block = {0}, .activation = ++activations_};
  if (shape_.lock_step) f.iterations.assign(line(callee).cfg().loops().size(), 0);
  f.values.resize(g.values.size());
  std::vector<Val> given;
  for (const ValueId a : c.arguments) given.push_back(get(t, a));
  for (uint32_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].kind == Value::parameter) f.values[v] = given[g.values[v].index];
  t.frames.push_back(std::move(f));
}

}  // namespace fencepost::interp
