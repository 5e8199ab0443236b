// Who is the first to change a place for good: `if (atomicExch(&flag, 1) == 0)`, `atomicCAS(&owner[v], -1, me) == -1`,
// `(atomicOr(&seen[v / 32], bit) & bit) == 0`.
//
// Of two updates of one place the later one finds what the earlier one, or someone between the two, has left there. So
// if all that is ever written to an array lies in a set W, one of any two updates finds a value of W: two threads that
// take no value of W for a win are never both winners. What the place held at first does not matter. An array of which
// all updates set bits, or all clear bits, does the same for each bit: the later one finds the bits of the earlier one
// set.
//
// A value that is made of the kernel's arguments alone, `atomicCAS(&level[v], -1, depth + 1) == -1`, is the same for
// all threads, and W holds it as it is.
//
// Why this is sound. Atomics of one width and of aligned places of one array are atomic for each other, or race and are
// found as such: their updates of one place are in one order, and each finds what the one before it left. W holds what
// every atomic that the threads may come to writes, as far as intervals say it. A compare-and-swap is an update only if
// it finds what it expects. Plain stores put the place back: no fact is given for two updates that one may come between
// (replaced_between). An atomic store, or an exchange that nobody looks at, that writes something outside of W is such
// a store too, but one that races with no atomic: it lies where it stands in the text only if barriers of the whole
// group say so. What writes in other ways (additions, copies, other functions, other widths) leaves nothing known.
#include <algorithm>
#include <bit>
#include <set>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr size_t k_most_written = 8;  // intervals of W

// The values that the atomic may leave; none: any.
std::optional<Range> left(const Pool& pool, AtomicOp op, const std::vector<Pair>& operands, size_t thread,
                          uint64_t most) {
  const size_t which = op == AtomicOp::compare_exchange ? 1 : 0;
  if (operands.size() <= which) return std::nullopt;
  const formula::Node& n = pool[operands[which][thread]];
  switch (op) {
    case AtomicOp::store:
    case AtomicOp::exchange:
    case AtomicOp::compare_exchange:
      return Range{n.low, n.high};
    case AtomicOp::or_:
    case AtomicOp::umax:
      return Range{n.low, most};
    case AtomicOp::smax:
      if (n.signed_low < 0) return std::nullopt;
      return Range{static_cast<uint64_t>(n.signed_low), most >> 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

// Arrays that some atomic instruction changes in another way than by adding.
void Execution::find_claims() {
  claimable_.assign(m_.regions.size(), 0);
  if (!options_.refined_atomics) return;
  for (uint32_t r = 0; r < m_.regions.size(); ++r) {
    const std::vector<flow::Writer>& writers = writers_.of({r});
    const Space space = m_.regions[r].space;
    claimable_[r] =
        counters_[r] == 0 && amounts_[r] == 0 && !m_.regions[r].clustered &&
        (space == Space::group || space == Space::global) &&
        std::any_of(writers.begin(), writers.end(),
                    [](const flow::Writer& w) { return w.kind == flow::Writer::atomic; }) &&
        std::all_of(writers.begin(), writers.end(), [&](const flow::Writer& w) {
          if (w.function != entry_) return false;
          return w.kind == flow::Writer::store || (w.kind == flow::Writer::atomic && w.access->regions.size() == 1 &&
                                                   w.access->bytes == writers.front().access->bytes);
        });
  }
}

void Execution::claim(Activation& a, const Instruction& in, const Atomic& at, Pair guard, Pair pointer) {
  if (at.access.regions.size() != 1 || claimable_[at.access.regions[0].index] == 0 || at.op == AtomicOp::load) return;
  const RegionId r = at.access.regions[0];
  Claims& c = claims_[r.index];
  std::vector<Pair> operands;
  for (const ValueId v : at.operands) operands.push_back(get(a, v));
  // Pointers, and numbers of another width than the place has, are not looked into.
  const bool numbers = std::all_of(at.operands.begin(), at.operands.end(), [&](ValueId v) {
    const Type& type = a.f->value(v).type;
    return type.kind == Type::bits && type.width == 8 * at.access.bytes;
  });
  if (!numbers) c.known = c.sets = c.clears = false;
  if (!numbers) return;
  const uint64_t most = formula::ones(static_cast<uint8_t>(8 * at.access.bytes));
  const std::vector<flow::Writer>& writers = writers_.of(r);
  const bool seen = std::any_of(writers.begin(), writers.end(),
                                [&](const flow::Writer& w) { return w.instruction == &in && w.result_used; });
  const bool unseen = !seen && (at.op == AtomicOp::store || at.op == AtomicOp::exchange);
  c.sets = c.sets && at.op == AtomicOp::or_;
  c.clears = c.clears && at.op == AtomicOp::and_;
  for (const size_t t : k_both) {
    c.aligned =
        c.aligned && 1u << std::min<unsigned>(pool_[offset_of(pointer[t])].trailing_zeros, 16) >= at.access.bytes;
    const std::optional<Range> written = left(pool_, at.op, operands, t, most);
    const size_t which = at.op == AtomicOp::compare_exchange ? 1 : 0;
    const bool whole = at.op == AtomicOp::compare_exchange || at.op == AtomicOp::exchange;
    const Term value = whole && of_arguments(operands[which][t]) ? operands[which][t] : Term{};
    if (value && !unseen)
      c.given.push_back(value);
    else if (unseen && written)
      c.unseen.push_back({*written, value, {r, position_, loops_around_, false, true}});
    else if (written)
      c.written.push_back(*written);
    else
      c.known = false;
  }
  if (!seen || in.results.empty()) return;
  Ticket k;
  k.kind = Ticket::claim;
  k.region = r;
  k.guard = guard;
  k.offset = {offset_of(pointer[0]), offset_of(pointer[1])};
  k.value = get(a, in.results[0]);
  if (at.op == AtomicOp::compare_exchange)
    k.guard = all(guard, {pool_.eq(k.value[0], operands[0][0]), pool_.eq(k.value[1], operands[0][1])});
  if (at.op == AtomicOp::or_ || at.op == AtomicOp::and_) k.amount = operands[0];
  k.position = position_;
  k.loops = loops_around_;
  if (std::optional<Ticket> m = master_ticket(k)) tickets.push_back(std::move(*m));
  tickets.push_back(std::move(k));
}

// Of the kernel's arguments and of nothing else, so that it is one number in a launch; and no constant.
bool Execution::of_arguments(Term t) const {
  std::vector<Term> todo{t};
  std::set<uint32_t> seen;
  bool any = false;
  while (!todo.empty()) {
    const Term u = todo.back();
    todo.pop_back();
    if (!seen.insert(u.id).second) continue;
    const formula::Node n = pool_[u];
    // What memory holds is another at another time.
    if (n.op == formula::Op::apply) return false;
    if (n.op == formula::Op::variable && (n.value < launch_variables || n.value >= common_variables)) return false;
    any = any || n.op == formula::Op::variable;
    for (const Term k : n.kids) todo.push_back(k);
  }
  return any;
}

// What is written by those who look at what they find, as few intervals; the rest puts places back, unless it is among
// these.
void Execution::settle_claims() {
  for (auto& [r, c] : claims_) {
    std::sort(c.written.begin(), c.written.end());
    std::vector<Range> few;
    for (const Range& x : c.written) {
      if (!few.empty() && (x[0] <= few.back()[1] || x[0] - few.back()[1] == 1))
        few.back()[1] = std::max(few.back()[1], x[1]);
      else
        few.push_back(x);
    }
    c.written = std::move(few);
    std::ranges::sort(c.given);
    const auto same = std::ranges::unique(c.given);
    c.given.erase(same.begin(), same.end());
    c.known = c.known && c.written.size() + c.given.size() <= k_most_written;
    for (const auto& [x, value, w] : c.unseen)
      if ((!value || !std::ranges::binary_search(c.given, value)) &&
          std::none_of(c.written.begin(), c.written.end(),
                       [&](const Range& in) { return in[0] <= x[0] && x[1] <= in[1]; }))
        counter_writes_.push_back(w);
  }
}

// Of two updates of one place, one finds what the other, or someone behind it, has left.
void Execution::claims_apart(const Ticket& i, const Ticket& j, Term different) {
  const auto it = claims_.find(i.region.index);
  if (it == claims_.end() || !it->second.aligned || pool_.width(i.value[0]) != pool_.width(j.value[1])) return;
  const Claims& c = it->second;
  const uint8_t w = pool_.width(i.value[0]);
  const auto give = [&](Term claim) {
    Fact f;
    f.term = pool_.implies(pool_.all({different, i.guard[0], j.guard[1], pool_.eq(i.offset[0], j.offset[1])}), claim);
    f.from = {i.position, j.position};
    f.until = {i.until, j.until};
    f.threads = 3;
    f.names = formula::names(pool_, f.term);
    if (!pool_.is_true(f.term)) trace.facts.push_back(std::move(f));
  };
  if (c.known && !(c.written.empty() && c.given.empty())) {
    std::vector<Term> finds;
    for (const Term x : {i.value[0], j.value[1]}) {
      for (const Range& in : c.written)
        finds.push_back(pool_.all(pool_.ule(pool_.constant(in[0], w), x), pool_.ule(x, pool_.constant(in[1], w))));
      for (const Term same : c.given) finds.push_back(pool_.eq(x, same));
    }
    give(pool_.any(std::move(finds)));
  }
  if (!i.amount[0] || !j.amount[1] || (!c.sets && !c.clears)) return;
  const auto has = [&](Term value, Term mask) {
    return pool_.eq(pool_.and_(c.sets ? mask : pool_.not_(mask), c.sets ? pool_.not_(value) : value),
                    pool_.constant(0, w));
  };
  give(pool_.any(has(j.value[1], i.amount[0]), has(i.value[0], j.amount[1])));
}

}  // namespace fencepost::prove
