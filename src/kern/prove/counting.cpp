// How often a loop comes round, by its counters.
#include <algorithm>
#include <bit>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// The header stays in the loop only while the phi is positive, so that a signed division is a shift.
bool Execution::positive_while_running(const Activation& a, uint32_t l, ValueId phi) const {
  const Loop& loop = a.cfg->loops()[l];
  const auto* br = std::get_if<Branch>(&a.f->blocks[loop.header.index].terminator);
  if (br == nullptr || !a.cfg->in_loop(br->then_, l) || a.cfg->in_loop(br->else_, l)) return false;
  const Instruction* in = a.recurrences->definition(br->condition);
  const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  if (c == nullptr || c->operands.size() != 2) return false;
  const auto bound = [&](ValueId v, int64_t least) {
    const Value& x = a.f->value(v);
    return x.kind == Value::constant && formula::as_signed(x.constant_bits, x.type.width) >= least;
  };
  switch (c->op) {
    case Op::sgt:
      return c->operands[0] == phi && bound(c->operands[1], -1);
    case Op::sge:
      return c->operands[0] == phi && bound(c->operands[1], 0);
    case Op::slt:
      return c->operands[1] == phi && bound(c->operands[0], -1);
    case Op::sle:
      return c->operands[1] == phi && bound(c->operands[0], 0);
    default:
      return false;
  }
}

// How often the header is come back to, at most, by what one counter shows: it does not wrap, and the header's test
// held in all iterations before.
Execution::Counting Execution::most_iterations(Activation& a, uint32_t l, ValueId phi, Term first, int thread,
                                               Mode mode) {
  using Wide = __int128;
  constexpr uint64_t k_unknown = ~uint64_t{0};
  const Type type = a.f->value(phi).type;
  const auto rec = a.recurrences->find(l, phi);
  if (!rec || type.kind == Type::pointer || type.width < 8) return {};
  const uint8_t w = type.width;
  // The header's test as `phi op limit` for staying.
  Op op = Op::any;
  Term limit;
  const Loop& loop = a.cfg->loops()[l];
  if (const auto* br = std::get_if<Branch>(&a.f->blocks[loop.header.index].terminator)) {
    const bool stays = a.cfg->in_loop(br->then_, l) && !a.cfg->in_loop(br->else_, l);
    const bool leaves = !a.cfg->in_loop(br->then_, l) && a.cfg->in_loop(br->else_, l);
    const Instruction* in = a.recurrences->definition(br->condition);
    const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
    if ((stays || leaves) && c != nullptr && c->operands.size() == 2 && c->op >= Op::eq && c->op <= Op::uge) {
      const int side = c->operands[0] == phi ? 1 : c->operands[1] == phi ? 0 : -1;
      if (side >= 0 && a.recurrences->invariant(l, c->operands[static_cast<size_t>(side)])) {
        limit = pure(a, c->operands[static_cast<size_t>(side)], thread, mode, nullptr);
        op = c->op;
        const auto mirrored = [](Op o) {
          switch (o) {
            case Op::slt:
              return Op::sgt;
            case Op::sle:
              return Op::sge;
            case Op::sgt:
              return Op::slt;
            case Op::sge:
              return Op::sle;
            case Op::ult:
              return Op::ugt;
            case Op::ule:
              return Op::uge;
            case Op::ugt:
              return Op::ult;
            case Op::uge:
              return Op::ule;
            default:
              return o;
          }
        };
        const auto negated = [](Op o) {
          switch (o) {
            case Op::eq:
              return Op::ne;
            case Op::ne:
              return Op::eq;
            case Op::slt:
              return Op::sge;
            case Op::sle:
              return Op::sgt;
            case Op::sgt:
              return Op::sle;
            case Op::sge:
              return Op::slt;
            case Op::ult:
              return Op::uge;
            case Op::ule:
              return Op::ugt;
            case Op::ugt:
              return Op::ule;
            default:
              return Op::ult;
          }
        };
        if (side == 0) op = mirrored(op);
        if (leaves) op = negated(op);
      }
    }
  }
  const formula::Node i0 = pool_[first];
  const formula::Node n = limit ? pool_[limit] : formula::Node{};
  const Wide unsigned_most = Wide{formula::ones(w)};
  const Wide signed_most = unsigned_most >> 1, signed_least = -signed_most - 1;
  Wide best = Wide{k_unknown};
  Wide span = Wide{k_unknown};
  const auto at_most = [&](Wide v) { best = std::min(best, v < 0 ? Wide{0} : v); };
  // Iteration k >= 1 means that the test held at k - 1: i0 + (k - 1) s <= last.
  const auto up_to = [&](Wide from, Wide last, Wide s) { at_most(last < from ? Wide{0} : (last - from) / s + 1); };
  if (rec->kind == flow::Recurrence::affine) {
    Term step = pool_.constant(0, w);
    for (const auto& s : rec->steps) {
      const Term x = pure(a, s.value, thread, mode, nullptr);
      if (pool_.width(x) != w) return {};
      step = s.negative ? pool_.sub(step, x) : pool_.add(step, x);
    }
    // By an unknown number of at least 1: as often as by 1.
    const bool fixed = pool_.is_constant(step);
    if (fixed ? pool_.is_constant(step, 0) : !products.positive(step)) return {};
    const Wide s = fixed ? formula::as_signed(pool_.value(step), w) : 1, size = s < 0 ? -s : s;
    const Wide longest = fixed ? s : Wide{pool_[step].signed_high};
    const bool nsw = rec->no_signed_wrap;
    if (nsw && s > 0) span = signed_most - i0.signed_low;
    if (nsw) at_most(s > 0 ? (signed_most - i0.signed_low) / s : (Wide{i0.signed_high} - signed_least) / size);
    if (limit) {
      const Wide or_equal = op == Op::sle || op == Op::sge || op == Op::ule || op == Op::uge ? 1 : 0;
      if ((op == Op::slt || op == Op::sle) && s > 0) {
        const Wide last = Wide{n.signed_high} - 1 + or_equal;
        if (nsw || last + longest <= signed_most) {
          up_to(i0.signed_low, last, s);
          span = std::min(span, std::max(last, Wide{i0.signed_high}) + longest - i0.signed_low);
        }
      } else if ((op == Op::sgt || op == Op::sge) && s < 0) {
        const Wide last = Wide{n.signed_low} + 1 - or_equal;
        if (nsw || last + s >= signed_least) up_to(-Wide{i0.signed_high}, -last, size);
      } else if ((op == Op::ult || op == Op::ule) && s > 0) {
        const Wide last = Wide{n.high} - 1 + or_equal;
        if (last + longest <= unsigned_most) {
          up_to(i0.low, last, s);
          span = std::min(span, std::max(last, Wide{i0.high}) + longest - i0.low);
        }
      } else if ((op == Op::ugt || op == Op::uge) && s < 0) {
        const Wide last = Wide{n.low} + 1 - or_equal;
        if (last + s >= 0) up_to(-Wide{i0.high}, -last, size);
      } else if (op == Op::ne && fixed && pool_.is_constant(first) && pool_.is_constant(limit)) {
        const uint64_t distance = (s > 0 ? n.value - i0.value : i0.value - n.value) & formula::ones(w);
        if (Wide{distance} % size == 0) at_most(Wide{distance} / size);
      } else if (op == Op::ne && pool_.is_constant(limit, 0) && s == -1) {
        at_most(i0.high);
      }
    }
  } else if (rec->kind == flow::Recurrence::shift_right) {
    const bool positive = op == Op::ugt || op == Op::sgt || ((op == Op::ne) && pool_.is_constant(limit, 0)) ||
                          ((op == Op::uge || op == Op::sge) && limit && n.low >= 1 && n.signed_low >= 1);
    const bool signed_test = op == Op::sgt || op == Op::sge;
    if (limit && positive && (!signed_test || n.signed_low >= 0) &&
        (!rec->needs_positive || positive_while_running(a, l, phi)))
      at_most(std::bit_width(i0.high) / rec->by + 1);
  } else if (limit && i0.low >= 1 && (op == Op::ult || op == Op::ule || op == Op::slt || op == Op::sle)) {
    const bool is_signed = op == Op::slt || op == Op::sle;
    const Wide last = is_signed ? Wide{n.signed_high} : Wide{n.high};
    // Doubling what is at most `last` must not wrap.
    if (i0.signed_low >= 1 && last > 0 && last << rec->by <= (is_signed ? signed_most : unsigned_most))
      at_most(std::bit_width(static_cast<uint64_t>(last)) / rec->by + 1);
  }
  const auto narrow = [&](Wide v) { return v >= Wide{k_unknown} ? k_unknown : static_cast<uint64_t>(v); };
  return {narrow(best), narrow(span)};
}

}  // namespace fencepost::prove
