#include "flow/endings.h"

#include <algorithm>
#include <optional>

#include "flow/recurrence.h"
#include "ir/async.h"

namespace fencepost::flow {
namespace {

using namespace ir;

class Loops {
 public:
  Loops(const Function& f, const Cfg& cfg) : f_(f), cfg_(cfg), recurrences_(f, cfg) {}

  bool ends(uint32_t l) const {
    const Loop& loop = cfg_.loops()[l];
    return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockId b) {
      const auto* br = std::get_if<Branch>(&f_.blocks[b.index].terminator);
      // Come to in every iteration of this loop itself.
      if (br == nullptr || !cfg_.dominates(b, loop.latch) || cfg_.innermost_loop(b) != l) return false;
      const bool stays = cfg_.in_loop(br->then_, l), other = cfg_.in_loop(br->else_, l);
      return stays != other && leaves(l, br->condition, stays);
    });
  }

 private:
  // A counter: a phi of the header with a constant step, or the value that it has next.
  struct Counter {
    int64_t step = 0;         // 0: halved,
    bool keeps_sign = false;  // so that a negative one does not come to 0
    bool no_signed_wrap = false;
  };
  std::optional<Counter> counter(uint32_t l, ValueId v) const {
    const Loop& loop = cfg_.loops()[l];
    for (const Instruction& in : f_.blocks[loop.header.index].instructions) {
      const auto* phi = std::get_if<Phi>(&in.action);
      if (phi == nullptr) continue;
      ValueId next;
      for (const Phi::Entry& e : phi->entries)
        if (e.from == loop.latch) next = e.value;
      if (v != in.results[0] && v != next) continue;
      const auto r = recurrences_.find(l, in.results[0]);
      if (!r || f_.value(in.results[0]).type.kind != Type::bits) continue;
      if (r->kind == Recurrence::shift_right) return Counter{.keeps_sign = r->arithmetic};
      if (r->kind != Recurrence::affine || r->steps.size() != 1) continue;
      const Value& by = f_.value(r->steps[0].value);
      const uint32_t w = by.type.width;
      if (by.kind != Value::constant || w == 0 || w > 64) continue;
      const auto step = static_cast<int64_t>(by.constant_bits << (64 - w)) >> (64 - w);
      if (step == 0 || step == INT64_MIN) continue;
      return Counter{.step = r->steps[0].negative ? -step : step, .no_signed_wrap = r->no_signed_wrap};
    }
    return std::nullopt;
  }

  // Whether the condition comes to say `leave` however long the loop goes on.
  bool leaves(uint32_t l, ValueId condition, bool stays_if) const {
    const Instruction* in = recurrences_.definition(condition);
    const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
    if (c == nullptr) return false;
    if (c->op == Op::not_ && f_.value(condition).type.width == 1) return leaves(l, c->operands[0], !stays_if);
    if (c->operands.size() != 2) return false;
    for (const size_t side : {0, 1}) {
      const ValueId limit = c->operands[1 - side];
      const auto n = recurrences_.invariant(l, limit) ? counter(l, c->operands[side]) : std::nullopt;
      if (n && reached(*n, c->op, side == 0, stays_if, limit)) return true;
    }
    return false;
  }

  // `counter op limit`, or the other way round; the loop goes on if it is `stays_if`.
  bool reached(const Counter& n, Op op, bool counter_first, bool stays_if, ValueId limit) const {
    const Value& v = f_.value(limit);
    const uint64_t most = v.type.width >= 64 ? ~uint64_t{0} : (uint64_t{1} << v.type.width) - 1;
    if (op == Op::ne || op == Op::eq) {
      if ((op == Op::ne) != stays_if) return false;
      return n.step == 0 ? !n.keeps_sign && v.kind == Value::constant && v.constant_bits == 0
                         : n.step == 1 || n.step == -1;
    }
    const bool greater = op == Op::sgt || op == Op::sge || op == Op::ugt || op == Op::uge;
    const bool is_signed = op == Op::slt || op == Op::sle || op == Op::sgt || op == Op::sge;
    const bool with_equal = op == Op::sle || op == Op::ule || op == Op::sge || op == Op::uge;
    if (!greater && !is_signed && op != Op::ult && op != Op::ule) return false;
    // It goes on while the counter is below the limit, or at it where `at` holds.
    const bool below = (greater != counter_first) == stays_if, at = with_equal == stays_if;
    if (n.step == 0) return !below && !at && v.kind == Value::constant && v.constant_bits == 0;
    if (below != (n.step > 0)) return false;
    if (is_signed && n.no_signed_wrap) return true;
    // By steps of one it comes to the limit itself; by longer ones it must not step over the end of the numbers.
    if (!at && (n.step == 1 || n.step == -1)) return true;
    if (is_signed || v.kind != Value::constant) return false;
    const uint64_t step = n.step > 0 ? static_cast<uint64_t>(n.step) : uint64_t{0} - static_cast<uint64_t>(n.step);
    return n.step > 0 ? step <= most && v.constant_bits <= most - step : v.constant_bits >= step;
  }

  const Function& f_;
  const Cfg& cfg_;
  const Recurrences recurrences_;
};

bool waits(const Module& m, const Function& f, const Instruction& in) {
  if (const auto* b = std::get_if<Barrier>(&in.action))
    return (b->scope != Scope::group && b->scope != Scope::warp) || b->arrive || b->count || b->name;
  if (const auto* c = std::get_if<Call>(&in.action)) return !c->callee || !m.function(c->callee).body;
  if (const auto* w = std::get_if<WaitEvents>(&in.action)) {
    const auto own = own_wait(f, *w);
    return !own || own->what != OwnCopies::proxy_fence;
  }
  return std::holds_alternative<AsyncCopy>(in.action);
}

}  // namespace

bool ends_by_itself(const Module& m, const Effects& effects, FunctionId kernel) {
  for (uint32_t i = 0; i < m.functions.size(); ++i) {
    if (effects.function(kernel).reached[i] == 0) continue;
    const Function& f = m.functions[i];
    const Cfg& cfg = effects.cfg({i});
    if (effects.function({i}).recursive || !cfg.reducible()) return false;
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions)
        if (waits(m, f, in)) return false;
    const Loops loops(f, cfg);
    for (uint32_t l = 0; l < cfg.loops().size(); ++l)
      if (!loops.ends(l)) return false;
  }
  return true;
}

}  // namespace fencepost::flow
