// How many iterations a loop has, by its counters, and whether counters in memory wrap within a launch.
//
// A loop is counted by a phi with a closed form (flow/recurrence.h) and a test in its header or its latch against a
// limit that does not change: iteration k is reached only if the test held at k - 1, so k is at most (last - first) /
// step, rounded as the test asks. Computed in 128 bits, so that no sum of 64-bit limits wraps.
//
// Whether the counter itself wraps is a question of its own. Where the source promises that it does not (signed, no
// signed wrap) nothing is assumed. In `for (int i = id; i < n; i += blockDim.x * gridDim.x)` the sum is unsigned and n
// may be near 2^31: that the counter stays below is then an assumption, which is printed, tried without and refused by
// --strict. Before that, grid strides over size_t and loops in two dimensions were refuted or given up.
//
// A ticket counter in memory gives every thread another number only while it does not wrap: what all threads add is the
// product of the counts of the loops around it. Tried first and lost: to assume it of every ticket in a loop, also
// where the launch proves that it wraps.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr uint64_t k_small_step = uint64_t{1} << 20;

Op mirrored(Op o) {
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
}

Op negated(Op o) {
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
    case Op::uge:
      return Op::ult;
    default:
      return o;
  }
}

}  // namespace

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

Execution::Test Execution::header_test(const Activation& a, uint32_t l, ValueId phi) const {
  const Loop& loop = a.cfg->loops()[l];
  const auto* br = std::get_if<Branch>(&a.f->blocks[loop.header.index].terminator);
  if (br == nullptr) return {};
  const bool stays = a.cfg->in_loop(br->then_, l) && !a.cfg->in_loop(br->else_, l);
  const bool leaves = !a.cfg->in_loop(br->then_, l) && a.cfg->in_loop(br->else_, l);
  const Instruction* in = a.recurrences->definition(br->condition);
  const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  if ((!stays && !leaves) || c == nullptr || c->operands.size() != 2) return {};
  const int side = c->operands[0] == phi ? 1 : c->operands[1] == phi ? 0 : -1;
  if (side < 0 || !a.recurrences->invariant(l, c->operands[static_cast<size_t>(side)])) return {};
  const Op op = side == 0 ? mirrored(c->op) : c->op;
  return {leaves ? negated(op) : op, c->operands[static_cast<size_t>(side)]};
}

// Is it taken for granted that the counter does not pass the largest number of its type? Of a step that no launch makes
// large: `for (int i = id; i < n; i += blockDim.x * gridDim.x)`, where the sum is one of unsigned numbers and n may be
// near 2^31.
Execution::Ends Execution::ends(const Activation& a, uint32_t l, ValueId phi, Term step) {
  const auto rec = a.recurrences->find(l, phi);
  const Type type = a.f->value(phi).type;
  if (!options_.counters_end || !rec || rec->kind != flow::Recurrence::affine || type.kind == Type::pointer ||
      type.width < 32 || (rec->no_signed_wrap && (type.width == 32 || pool_.is_constant(step))))
    return Ends::no;
  const bool small =
      pool_.is_constant(step) ? pool_.value(step) >= 1 && pool_.value(step) <= k_small_step : products.positive(step);
  const Test test = header_test(a, l, phi);
  const bool is_signed = test.op == Op::slt || test.op == Op::sle,
             is_unsigned = test.op == Op::ult || test.op == Op::ule;
  if (!small || (!is_signed && !is_unsigned)) return Ends::no;
  const std::string place = where(m_, a.f->blocks[a.cfg->loops()[l].header.index].place);
  const std::string at = "the counter of the loop" + (place.empty() ? "" : " at " + place);
  if (!rec->no_signed_wrap)
    assumptions.insert({at + " does not pass 2^" + std::to_string(type.width - (is_signed ? 1 : 0)) + " - 1",
                        order::Assumption::loop_counter});
  // As far as products of unknown numbers are told apart (products.h).
  if (type.width > 32 && !pool_.is_constant(step))
    assumptions.insert({at + " makes fewer than 2^32 steps", order::Assumption::loop_counter});
  return is_signed ? Ends::as_signed : Ends::as_unsigned;
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
  const Test test = header_test(a, l, phi);
  const Op op = test.op;
  const Term limit = test.limit ? pure(a, test.limit, thread, mode, nullptr) : Term{};
  const formula::Node i0 = pool_[first];
  const formula::Node n = limit ? pool_[limit] : formula::Node{};
  const Wide unsigned_most = Wide{formula::ones(w)};
  const Wide signed_most = unsigned_most >> 1, signed_least = -signed_most - 1;
  Wide best = Wide{k_unknown};
  Wide span = Wide{k_unknown};
  bool by_test = false;
  const auto at_most = [&](Wide v, bool tested = true) {
    if (v < best) by_test = tested;
    best = std::min(best, v);
  };
  // Iteration k >= 1 means that the test held at k - 1: i0 + (k - 1) s <= last.
  const auto up_to = [&](Wide from, Wide last, Wide s) { at_most(last < from ? Wide{0} : (last - from) / s + 1); };
  if (rec->kind == flow::Recurrence::toggle) return {};
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
    const Ends end = ends(a, l, phi, step);
    const bool nsw = rec->no_signed_wrap || end == Ends::as_signed, nuw = end == Ends::as_unsigned;
    if (end != Ends::no && w > 32 && !fixed) at_most(Wide{0xffffffff}, false);
    if (nuw) {
      span = unsigned_most - i0.low;
      at_most((unsigned_most - i0.low) / s, false);
    }
    if (nsw && s > 0) span = signed_most - i0.signed_low;
    if (nsw) at_most(s > 0 ? (signed_most - i0.signed_low) / s : (Wide{i0.signed_high} - signed_least) / size, false);
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
        if (nuw || last + longest <= unsigned_most) {
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
    const bool positive = op == Op::ugt || op == Op::sgt || (op == Op::ne && limit && pool_.is_constant(limit, 0)) ||
                          ((op == Op::uge || op == Op::sge) && n.signed_low >= 1);
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
  return {narrow(best), narrow(span), by_test, by_test && pool_.is_constant(limit) && stated_by_launch(first)};
}

// Of a loop that is left from its latch by a test of the counter's next value, `do ... while (++i < n)`.
Execution::Counting Execution::tested_at_latch(Activation& a, uint32_t l, ValueId phi, Term first, int thread,
                                               Mode mode) {
  using Wide = __int128;
  const Loop& loop = a.cfg->loops()[l];
  const auto rec = a.recurrences->find(l, phi);
  const auto* br = std::get_if<Branch>(&a.f->blocks[loop.latch.index].terminator);
  if (!rec || rec->kind != flow::Recurrence::affine || rec->steps.size() != 1 || br == nullptr) return {};
  const Term step = pure(a, rec->steps[0].value, thread, mode, nullptr);
  const Instruction* in = a.recurrences->definition(br->condition);
  const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  if (c == nullptr || c->operands.size() != 2 || !pool_.is_constant(step)) return {};
  const bool stays = br->then_ == loop.header && !a.cfg->in_loop(br->else_, l);
  const bool leaves = br->else_ == loop.header && !a.cfg->in_loop(br->then_, l);
  ValueId next;
  for (const Instruction& i : a.f->blocks[loop.header.index].instructions)
    if (const auto* p = std::get_if<Phi>(&i.action); p != nullptr && i.results[0] == phi)
      for (const Phi::Entry& e : p->entries)
        if (e.from == loop.latch) next = e.value;
  const int side = c->operands[0] == next ? 1 : c->operands[1] == next ? 0 : -1;
  if ((!stays && !leaves) || side < 0) return {};
  const ValueId bound = c->operands[static_cast<size_t>(side)];
  if (!a.recurrences->invariant(l, bound)) return {};
  const Term limit = pure(a, bound, thread, mode, nullptr);
  const uint8_t w = pool_.width(first);
  if (!pool_.is_constant(limit) || pool_.width(limit) != w || pool_.width(step) != w) return {};
  Op op = side == 0 ? mirrored(c->op) : c->op;
  if (leaves) op = negated(op);
  const formula::Node i0 = pool_[first], n = pool_[limit];
  const Wide s = formula::as_signed(pool_.value(step), w) * (rec->steps[0].negative ? -1 : 1), size = s < 0 ? -s : s;
  const bool is_signed = op == Op::slt || op == Op::sle || op == Op::sgt || op == Op::sge;
  const bool or_equal = op == Op::ule || op == Op::sle || op == Op::uge || op == Op::sge;
  const bool up = op == Op::ult || op == Op::ule || op == Op::slt || op == Op::sle;
  const bool down = op == Op::ugt || op == Op::uge || op == Op::sgt || op == Op::sge;
  Wide most = 0;
  if ((up && s > 0) || (down && s < 0)) {
    // It goes on while the next value is at most `last`; downwards all is turned round. No step jumps over to the other
    // end: neither the first one, whatever the counter begins with, nor one from `last`.
    const Wide unsigned_most = Wide{formula::ones(w)}, signed_most = unsigned_most >> 1;
    Wide low = is_signed ? Wide{i0.signed_low} : Wide{i0.low}, high = is_signed ? Wide{i0.signed_high} : Wide{i0.high};
    Wide end = is_signed ? signed_most : unsigned_most, last = is_signed ? Wide{n.signed_low} : Wide{n.low};
    if (down) {
      low = -std::exchange(high, -low);
      last = -last;
      end = is_signed ? signed_most + 1 : Wide{0};
    }
    if (!or_equal) --last;
    if (std::max(high, last) + size > end) return {};
    most = last < low ? Wide{0} : (last - low) / size;
  } else if (op == Op::ne && s != 0 && pool_.is_constant(first)) {
    const uint64_t distance = (s > 0 ? n.value - i0.value : i0.value - n.value) & formula::ones(w);
    if (distance == 0 || Wide{distance} % size != 0) return {};
    most = Wide{distance} / size - 1;
  } else {
    return {};
  }
  Counting r;
  r.most = static_cast<uint64_t>(most);
  r.stated = stated_by_launch(first);
  return r;
}

// Is it of nothing but constants and the numbers of the launch?
bool Execution::stated_by_launch(Term t) const {
  const std::vector<uint64_t> names = formula::names(pool_, t);
  return std::all_of(names.begin(), names.end(), [&](uint64_t n) { return n < launch_variables; });
}

// ---- counters of memory that come round ------------------------------------------------------------------------

// By what the loop's counters show. A test of the header holds one time less than the header is run.
Execution::Repeats Execution::repeats(Activation& a, uint32_t l, Mode mode) {
  constexpr uint64_t k_unknown = ~uint64_t{0};
  Repeats r;
  for (const auto& [v, first] : incoming(a, l, false)) {
    if (a.f->value(v).type.kind == Type::pointer) continue;
    uint64_t header = 0, others = 0;
    bool stated = true;
    for (const int t : {0, 1}) {
      const Term start = first[static_cast<size_t>(t)];
      Counting c = most_iterations(a, l, v, start, t, mode);
      if (const Counting latch = tested_at_latch(a, l, v, start, t, mode); latch.most < c.most) c = latch;
      if (c.most >= k_unknown - 1) c.most = k_unknown;
      header = std::max(header, c.most == k_unknown ? k_unknown : c.most + 1);
      others = std::max(others, c.most == k_unknown ? k_unknown : c.by_test ? c.most : c.most + 1);
      stated = stated && c.stated && c.most != k_unknown;
    }
    if (header < r.header) r = {header, others, stated, false};
  }
  return r;
}

void Execution::move_counter(RegionId r, uint64_t at_least, uint64_t at_most, uint32_t bytes, bool by_first) {
  double least = static_cast<double>(at_least), most = static_cast<double>(at_most);
  for (const Repeats& x : repeats_) {
    const uint64_t n = x.in_header ? x.header : x.others;
    const double times = n == ~uint64_t{0} ? std::numeric_limits<double>::infinity() : static_cast<double>(n);
    most *= times;
    if (x.stated) least *= times;
  }
  Moved& m = moved_[r.index];
  m.bytes = bytes;
  m.first = std::min(m.first, position_);
  m.least += least;
  m.most += most;
  (by_first ? m.by_first : m.by_all) += most;
}

// Threads of the launch times the steps of each. N steps of s are apart while N * s is at most 2^width. Where the
// launch or the count of a loop is not known, that it stays below is an assumption; where what is known is too much
// already, or steps are so large that some launch must come round, nothing is assumed.
Execution::Round Execution::comes_round(RegionId r) const {
  const auto it = moved_.find(r.index);
  if (!all_counted(r)) return Round::may;
  if (it == moved_.end()) return Round::never;
  double threads = 1;
  bool known = m_.function(entry_).kernel;
  for (const size_t d : k_dimensions) {
    const bool group = m_.regions[r.index].space == Space::group;
    const uint64_t local = options_.launch.local_size[d], groups = group ? 1 : options_.launch.num_groups[d];
    known = known && local != 0 && groups != 0;
    threads *= static_cast<double>(std::max<uint64_t>(1, local)) * static_cast<double>(std::max<uint64_t>(1, groups));
  }
  const double values = std::ldexp(1.0, static_cast<int>(8 * it->second.bytes));
  if (threads * it->second.least > values || (!known && it->second.least >= values / 256)) return Round::may;
  if (known && threads * it->second.most <= values) return Round::never;
  return Round::assumed_not;
}

}  // namespace fencepost::prove
