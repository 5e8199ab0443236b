// Which places may carry messages, and what the execution notes of who reads them; order/messages.h says what they
// order, order/last_group.h what a counter of tickets does.
#include "order/messages.h"

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

bool leaves(const Atomic& at, const Function& f) {
  const auto constant = [&](size_t i, uint64_t bits) {
    return i < at.operands.size() && f.value(at.operands[i]).kind == Value::constant &&
           f.value(at.operands[i]).constant_bits == bits;
  };
  switch (at.op) {
    case AtomicOp::load:
      return true;
    case AtomicOp::add:
    case AtomicOp::sub:
    case AtomicOp::or_:
    case AtomicOp::xor_:
    case AtomicOp::umax:
      return constant(0, 0);
    case AtomicOp::compare_exchange:
      return at.operands.size() == 2 && at.operands[0] == at.operands[1];
    default:
      return false;
  }
}

namespace {

// Who reads learns something of other threads: by a load, or by a comparison that says what was there.
bool observes(const Instruction& in, const Function& f) {
  const auto* at = std::get_if<Atomic>(&in.action);
  return at != nullptr && !in.results.empty() && at->access.regions.size() == 1 &&
         (leaves(*at, f) || at->op == AtomicOp::compare_exchange);
}

// An atomic operation that may change the place also returns what was there, but that alone does not show a message.
bool updates(const Instruction& in, const Function& f) {
  const auto* at = std::get_if<Atomic>(&in.action);
  return at != nullptr && !in.results.empty() && at->access.regions.size() == 1 && !observes(in, f);
}

}  // namespace

// Arrays that are read by atomics and written by some, and are no locks.
void Execution::find_messages() {
  flags_.assign(m_.regions.size(), 0);
  updated_.assign(m_.regions.size(), 0);
  if (!options_.refined_atomics) return;
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t i = 0; i < m_.functions.size(); ++i) {
    if (e.reached[i] == 0) continue;
    for (const Block& b : m_.functions[i].blocks)
      for (const Instruction& in : b.instructions) {
        const bool reads = observes(in, m_.functions[i]);
        if (!reads && !updates(in, m_.functions[i])) continue;
        const RegionId r = std::get<Atomic>(in.action).access.regions[0];
        if (m_.region(r).space != Space::global || lock_values_.contains(r.index) ||
            !writers_.any(r, flow::Writer::atomic))
          continue;
        (reads ? flags_ : updated_)[r.index] = 1;
        (reads ? messages_possible_ : updates_possible_) = true;
      }
  }
}

void Execution::observe(const Activation& a, const Instruction& in, const Atomic& at, Pair guard, Pair pointer) {
  if (at.access.regions.size() != 1) return;
  const bool reads = flags_[at.access.regions[0].index] != 0 && observes(in, *a.f);
  if (!reads && (updated_[at.access.regions[0].index] == 0 || !updates(in, *a.f))) return;
  order::ObservationRecord o;
  o.region = at.access.regions[0];
  for (const size_t t : k_both) {
    o.guard[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(o.region.index + 1, 16)));
    o.offset[t] = offset_of(pointer[t]);
  }
  o.value = a.values[in.results[0].index];
  o.bytes = at.access.bytes;
  o.position = position_;
  o.scope = at.scope;
  o.loops = loops_around_;
  // A comparison that fails has the order of failure.
  o.acquires = order::acquires(at.order) && (at.op != AtomicOp::compare_exchange || order::acquires(at.failure));
  o.aligned = std::has_single_bit(o.bytes) && pool_.width(o.value[0]) == 8 * o.bytes;
  for (const Term offset : o.offset)
    o.aligned = o.aligned && 1u << std::min<unsigned>(pool_[offset].trailing_zeros, 16) >= o.bytes;
  if (!reads) {
    trace.updates.push_back(std::move(o));
    return;
  }
  trace.observations.push_back(std::move(o));
  // What others have written before is seen from here on.
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t x = 0; x < m_.regions.size(); ++x) {
    const Space s = m_.regions[x].space;
    if (e.writes[x] == 0 || memory.adversarial({x}) || (s != Space::group && s != Space::global)) continue;
    if (s == Space::group && !written_meanwhile(a.id, in).contains(x)) continue;
    memory.forget({x}, guard, false);
  }
}

// Which arrays threads of the group may write between the barriers before and behind the instruction. A thread that
// reads a flag there may come to know of these stores, and of no other to group memory.
const std::set<uint32_t>& Execution::written_meanwhile(FunctionId f, const Instruction& in) {
  const auto [it, fresh] = meanwhile_.try_emplace(&in);
  std::set<uint32_t>& out = it->second;
  if (!fresh) return out;
  const flow::FunctionEffects& e = effects_.function(entry_);
  const auto all = [&](const std::vector<uint8_t>& written) {
    for (uint32_t r = 0; r < written.size(); ++r)
      if (written[r] != 0) out.insert(r);
  };
  if (f != entry_) {
    all(e.writes);
    return out;
  }
  const Function& fn = m_.function(f);
  const Cfg& cfg = effects_.cfg(f);
  const auto meets = [&](const Instruction& i) {
    const auto* b = std::get_if<Barrier>(&i.action);
    return b != nullptr && b->scope >= Scope::group && !b->arrive && !b->count && !b->mask && !b->name &&
           b->local_fence && fn.value(b->local_fence).kind == Value::constant &&
           fn.value(b->local_fence).constant_bits == 1;
  };
  using At = std::pair<uint32_t, size_t>;  // block, and number of the instruction that is next
  std::vector<At> todo, starts;
  std::set<At> seen;
  for (uint32_t b = 0; b < fn.blocks.size(); ++b)
    for (size_t i = 0; i < fn.blocks[b].instructions.size(); ++i)
      if (&fn.blocks[b].instructions[i] == &in) todo.emplace_back(b, i);
  while (!todo.empty()) {
    auto [b, i] = todo.back();
    todo.pop_back();
    if (!seen.insert({b, i}).second) continue;
    while (i > 0 && !meets(fn.blocks[b].instructions[i - 1])) --i;
    if (i > 0 || b == 0) starts.emplace_back(b, i);
    if (i > 0) continue;
    for (const BlockId p : cfg.predecessors({b})) todo.emplace_back(p.index, fn.blocks[p.index].instructions.size());
  }
  seen.clear();
  while (!starts.empty()) {
    auto [b, i] = starts.back();
    starts.pop_back();
    if (!seen.insert({b, i}).second) continue;
    const std::vector<Instruction>& list = fn.blocks[b].instructions;
    for (; i < list.size() && !meets(list[i]); ++i) {
      if (const auto* s = std::get_if<Store>(&list[i].action))
        for (const RegionId r : s->access.regions) out.insert(r.index);
      if (const auto* c = std::get_if<Call>(&list[i].action))
        for (const FunctionId target : flow::targets(*c)) all(effects_.function(target).writes);
      if (std::holds_alternative<AsyncCopy>(list[i].action) || std::holds_alternative<Snapshot>(list[i].action) ||
          std::holds_alternative<Frame>(list[i].action))
        all(e.writes);
    }
    if (i == list.size())
      for (const BlockId s : successors(fn.blocks[b].terminator)) starts.emplace_back(s.index, 0);
  }
  return out;
}

// Whether an earlier iteration of the loop may have brought the thread stores of others to the array.
bool Execution::heard(const Activation& a, uint32_t l, RegionId r) {
  const flow::LoopEffects& e = loop_effects(a.id, l);
  for (uint32_t x = 0; x < m_.regions.size(); ++x)
    if (e.atomics[x] != 0 && lock_values_.contains(x)) return true;
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (std::holds_alternative<Call>(in.action))
        for (uint32_t x = 0; x < m_.regions.size(); ++x)
          if (e.atomics[x] != 0 && flags_[x] != 0) return true;
      const auto* at = std::get_if<Atomic>(&in.action);
      if (at == nullptr || !observes(in, *a.f) || flags_[at->access.regions[0].index] == 0) continue;
      if (m_.region(r).space == Space::global || written_meanwhile(a.id, in).contains(r.index)) return true;
    }
  return false;
}

// What the atomic writes if it does; none: that is not known.
Pair Execution::written_by(Activation& a, const Atomic& at) {
  if (at.op == AtomicOp::store || at.op == AtomicOp::exchange) return get(a, at.operands[0]);
  if (at.op == AtomicOp::compare_exchange && at.operands.size() == 2) return get(a, at.operands[1]);
  return {};
}

}  // namespace fencepost::prove
