// The prover against the interpreter: no random kernel that the interpreter sees racing, diverging or failing an
// assertion may be verified. FENCEPOST_FUZZ_KERNELS sets how many kernels are tried, FENCEPOST_FUZZ_SEED the first.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "draft.h"
#include "interp/interp.h"
#include "ir/print.h"

namespace fencepost::prove {
namespace {

constexpr uint64_t k_local = 4, k_groups = 2;

class Kernel {
 public:
  // `dimensions` of which no size is fixed; 0: a fixed launch.
  Kernel(uint64_t seed, uint32_t lanes, uint8_t dimensions = 0) : lanes_(lanes), any_size_(dimensions > 0), rng_(seed) {
    n_ = d.scalar_parameter("n");
    a_ = d.pointer_parameter("A");
    b_ = d.pointer_parameter("B");
    s_ = d.group_array("s", any_size_ ? 1 << 16 : 256);
    c_ = d.pointer_parameter("C");
    lock_ = d.pointer_parameter("L");
    count_ = d.pointer_parameter("T");
    d.m.dialect = rng_.chance(0.5) ? Dialect::cuda : Dialect::opencl;
    d.note(Note::requires_, d.op(Op::ule, n_, d.constant(6)));
    tid_ = d.lid();
    gid_ = d.gid();
    global_ = any_size_ ? d.global_id() : d.op(Op::add, d.op(Op::mul, gid_, d.constant(k_local)), tid_);
    values_ = {tid_, gid_, global_, n_};
    if (any_size_) {
      for (uint8_t k = 0; k < 3; ++k)
        d.options.launch.local_size[k] = d.options.launch.num_groups[k] = k < dimensions ? 0 : 1;
      places(dimensions);
    }
    synchronising_ = !any_size_ && seed % 4 == 3;  // locks and last tickets above all
    block(1 + static_cast<int>(rng_.below(4)), 0);
  }
  Draft d;

 private:
  // Numbers of threads as kernels make them of ids and sizes in several dimensions, right and wrong; and strides.
  void places(uint8_t dimensions) {
    const auto global = [&](uint8_t k) {
      return d.op(Op::add, d.op(Op::mul, d.id(IdKind::group_id, k), d.id(IdKind::local_size, k)),
                  d.id(IdKind::local_id, k));
    };
    const auto range = [&](uint8_t k) {
      return d.op(Op::mul, d.id(IdKind::local_size, k), d.id(IdKind::num_groups, k));
    };
    const ValueId width = d.id(IdKind::local_size), all = range(0);
    strides_ = {width, all};
    if (rng_.chance(0.3)) strides_.push_back(d.op(Op::mul, width, d.constant(2)));
    if (dimensions > 1) {
      const auto axis = [&](uint8_t k) { return rng_.chance(0.9) ? k : static_cast<uint8_t>(rng_.below(dimensions)); };
      // (z * height + y) * width + x
      ValueId inner = d.id(IdKind::local_id, axis(dimensions - 1)), outer = global(axis(dimensions - 1)),
              group = d.id(IdKind::group_id, axis(dimensions - 1));
      for (uint8_t k = dimensions - 1; k-- > 0;) {
        inner = d.op(Op::add, d.op(Op::mul, inner, d.id(IdKind::local_size, axis(k))), d.id(IdKind::local_id, axis(k)));
        outer = d.op(Op::add, d.op(Op::mul, outer, range(axis(k))), global(axis(k)));
        group = d.op(Op::add, d.op(Op::mul, group, d.id(IdKind::num_groups, axis(k))), d.id(IdKind::group_id, axis(k)));
      }
      if (rng_.chance(0.7)) tid_ = inner;
      if (rng_.chance(0.7)) global_ = outer;
      gid_ = group;
      ValueId items = width;
      for (uint8_t k = 1; k < dimensions; ++k) items = d.op(Op::mul, items, d.id(IdKind::local_size, k));
      if (rng_.chance(0.7)) strides_ = {items, d.op(Op::mul, all, range(1))};
      if (rng_.chance(0.3)) global_ = d.op(Op::add, d.op(Op::mul, group, items), inner);
      values_ = {tid_, gid_, global_, n_, d.id(IdKind::local_id, 1)};
    }
    if (rng_.chance(0.2)) values_.push_back(width);
    if (rng_.chance(0.2)) values_.push_back(d.op(Op::add, global_, strides_.back()));
    if (rng_.chance(0.2)) values_.push_back(d.op(rng_.chance(0.5) ? Op::udiv : Op::urem, global_, width));
    if (rng_.chance(0.1)) values_.push_back(d.op(rng_.chance(0.5) ? Op::udiv : Op::urem, tid_, width));
  }
  ValueId small() { return d.constant(rng_.below(5)); }
  ValueId leaf() { return rng_.chance(0.6) ? values_[rng_.below(values_.size())] : rng_.chance(0.5) ? tid_ : small(); }
  ValueId expression(int depth) {
    if (depth == 0) return leaf();
    const ValueId x = expression(depth - 1);
    switch (rng_.below(9)) {
      case 0:
        return d.op(Op::add, x, leaf());
      case 1:
        return d.op(Op::sub, x, leaf());
      case 2:
        return d.op(Op::mul, x, d.constant(1 + rng_.below(4)));
      case 3:
        return d.op(Op::xor_, x, small());
      case 4:
        return d.op(Op::urem, x, d.constant(1 + rng_.below(8)));
      case 5:
        return d.op(Op::lshr, x, d.constant(rng_.below(3)));
      case 6:
        return d.op(Op::sub, d.constant(3), x);
      default:
        return x;
    }
  }
  // Inside the arrays, most of the time without losing what makes it different for each thread.
  ValueId index() {
    const ValueId x =
        rng_.chance(0.5) ? (rng_.chance(0.5) ? tid_ : global_) : expression(1 + static_cast<int>(rng_.below(2)));
    return any_size_ ? x : d.op(Op::and_, x, d.constant(31));
  }
  ValueId array() { return std::array{a_, b_, s_}[rng_.below(3)]; }
  ValueId condition() {
    static constexpr Op k_ops[] = {Op::slt, Op::ult, Op::eq, Op::ne, Op::sge};
    const ValueId x = expression(static_cast<int>(rng_.below(2)));
    return d.op(k_ops[rng_.below(5)], x, rng_.chance(0.5) ? small() : leaf());
  }
  void block(int statements, int depth) {
    const std::vector<ValueId> outer = values_;
    for (int i = 0; i < statements; ++i) statement(depth);
    values_ = outer;
  }
  void statement(int depth) {
    if (synchronising_ && depth < 2 && rng_.chance(0.4))
      return rng_.chance(0.5) && !any_size_ ? last_group() : critical();
    switch (rng_.below(depth < 2 ? 16 : 8)) {
      case 14:
        if (lanes_ > 0 && rng_.chance(0.7))
          exchange();
        else
          critical();
        break;
      case 15:
        if (any_size_ || rng_.chance(0.5))
          critical();
        else
          last_group();
        break;
      case 0:
      case 1:
        d.store(array(), index(), rng_.chance(0.3) ? small() : leaf());
        break;
      case 2: {
        const ValueId v = d.load(array(), index());
        values_.push_back(d.op(Op::and_, v, d.constant(7)));
        break;
      }
      case 3:
      case 4:
      case 5:
        if (lanes_ > 0 && rng_.chance(0.2))
          warp_barrier();
        else
          d.barrier(rng_.chance(0.9), rng_.chance(0.9));
        break;
      case 6:
        if (rng_.chance(0.3)) {
          master();
        } else if (rng_.chance(0.3)) {
          values_.push_back(d.op(Op::and_, d.atomic_add(c_, d.constant(0), d.constant(1)), d.constant(31)));
        } else {
          d.store(s_, tid_, d.load(a_, global_));
        }
        break;
      case 7:
        if (rng_.chance(0.3))
          d.note(Note::assert_, condition());
        else
          d.store(a_, global_, d.load(s_, index()));
        break;
      case 8:
      case 9: {
        const ValueId c = condition();
        if (rng_.chance(0.4)) {
          const auto side = [&] {
            const std::vector<ValueId> outer = values_;
            const int statements = 1 + static_cast<int>(rng_.below(2));
            for (int i = 0; i < statements; ++i) statement(depth + 1);
            const ValueId v = leaf();
            values_ = outer;
            return v;
          };
          values_.push_back(d.either(c, side, side));
          break;
        }
        d.when(c, [&] { block(1 + static_cast<int>(rng_.below(2)), depth + 1); });
        break;
      }
      default:
        if (rng_.chance(0.25))
          sum(depth);
        else
          loop(depth);
    }
  }
  // A loop with a second variable, which may come round, and is known afterwards.
  void sum(int depth) {
    static constexpr uint64_t k_steps[] = {1, 2, 3, 4, 1 << 28, 1 << 30, 0x55555555, 0xffffffff};
    static constexpr Op k_ops[] = {Op::add, Op::add, Op::add, Op::mul, Op::xor_, Op::sub};
    const Op op = k_ops[rng_.below(6)];
    const ValueId by = rng_.chance(0.6) ? d.constant(k_steps[rng_.below(8)]) : leaf();
    const ValueId from = rng_.chance(0.5) ? d.constant(0) : rng_.chance(0.5) ? tid_ : small();
    const ValueId to = rng_.chance(0.5) ? d.constant(1 + rng_.below(8)) : rng_.chance(0.5) ? n_ : tid_;
    const bool with_count = rng_.chance(0.2);
    const ValueId j = d.accumulate(
        from, Op::slt, to, 1 + rng_.below(2), leaf(),
        [&](ValueId i, ValueId v) { return d.op(op, v, with_count ? i : by); },
        [&](ValueId i, ValueId v) {
          const std::vector<ValueId> outer = values_;
          values_.insert(values_.end(), {i, v, v});
          block(1 + static_cast<int>(rng_.below(2)), depth + 1);
          values_ = outer;
        });
    values_.push_back(j);
  }
  // One thread of the group, mostly, stores something that all read after a barrier, mostly.
  void master() {
    const ValueId at = d.constant(rng_.chance(0.7) ? 40 + rng_.below(3) : rng_.below(6));
    const ValueId who = rng_.chance(0.8) ? d.op(Op::eq, tid_, d.constant(0)) : condition();
    d.when(who, [&] {
      const bool ticket = rng_.chance(0.7);
      const ValueId v = ticket ? d.atomic_add(c_, d.constant(rng_.below(2)), d.constant(1 + rng_.below(2))) : leaf();
      d.store(s_, at, rng_.chance(0.7) ? v : d.op(Op::add, v, d.constant(1)));
      if (rng_.chance(0.1)) d.store(s_, rng_.chance(0.5) ? at : tid_, leaf());
    });
    if (rng_.chance(0.9)) d.barrier();
    const ValueId taken = d.load(s_, at);
    if (rng_.chance(0.8)) {
      const ValueId mine = rng_.chance(0.7) ? d.op(Op::eq, tid_, d.constant(rng_.below(2))) : condition();
      d.when(mine, [&] { d.store(b_, taken, leaf()); });
    }
    values_.push_back(d.op(Op::and_, taken, d.constant(7)));
  }
  Fence fence() {
    static constexpr Order k_orders[] = {Order::seq_cst, Order::acq_rel, Order::acquire, Order::release};
    return {.order = rng_.chance(0.7) ? Order::seq_cst : k_orders[rng_.below(4)],
            .scope = rng_.chance(0.9) ? Scope::device : Scope::group,
            .local = rng_.chance(0.95),
            .global = rng_.chance(0.95)};
  }
  ValueId synchronise(ValueId array, ValueId at, AtomicOp op, std::vector<ValueId> operands, Order order, Scope scope) {
    return d.put(
        Atomic{
            .op = op,
            .access = {.pointer = d.element(array, at), .bytes = 4, .regions = d.regions(array), .site = d.m.sites++},
            .operands = std::move(operands),
            .order = order,
            .failure = Order::relaxed,
            .scope = scope},
        k_int);
  }
  // A lock around something that others touch too, mostly: with fences or ordered operations, mostly; sometimes it is
  // released too early, or is another one for some threads, or is not taken by all.
  void critical() {
    const bool ordered = rng_.chance(0.3), by_exchange = rng_.chance(0.3);
    const ValueId zero = d.constant(0), one = d.constant(1);
    const ValueId at = rng_.chance(0.8) ? zero : rng_.chance(0.5) ? d.op(Op::and_, tid_, one) : gid_;
    const Scope scope = rng_.chance(0.9) ? Scope::device : Scope::group;
    const bool fence_in = !ordered && rng_.chance(0.9), fence_out = !ordered && rng_.chance(0.9);
    const int early = rng_.chance(0.85) ? 0 : static_cast<int>(rng_.below(3));
    const bool again = rng_.chance(0.7);
    const ValueId shared = rng_.chance(0.7) ? b_ : array(), place = d.constant(rng_.below(3));
    const auto use = [&] {
      d.store(shared, place, d.op(Op::add, d.load(shared, place), tid_));
      if (rng_.chance(0.3)) block(1, 2);
    };
    const auto release = [&] {
      synchronise(lock_, at, rng_.chance(0.5) ? AtomicOp::exchange : AtomicOp::store, {zero},
                  ordered && rng_.chance(0.9) ? Order::release : Order::relaxed, scope);
    };
    const auto attempt = [&] {
      const Order order = ordered && rng_.chance(0.9) ? Order::acquire : Order::relaxed;
      const ValueId got = by_exchange ? synchronise(lock_, at, AtomicOp::exchange, {one}, order, scope)
                                      : synchronise(lock_, at, AtomicOp::compare_exchange, {zero, one}, order, scope);
      const ValueId mine = d.op(Op::eq, got, zero);
      d.when(mine, [&] {
        if (fence_in) d.put(fence());
        if (early == 1) release();
        use();
        if (fence_out) d.put(fence());
        if (early != 1) release();
        if (early == 2) use();
      });
      return mine;
    };
    if (again)
      d.loop(
          zero, Op::ult, one,
          [&](ValueId i) { return d.op(Op::add, i, d.put(Compute{.op = Op::zext, .operands = {last_}}, k_int)); },
          [&](ValueId) { last_ = attempt(); });
    else
      attempt();
    if (rng_.chance(0.1)) d.when(condition(), use);
  }
  // The group that takes the last ticket reads what others have left.
  void last_group() {
    const ValueId zero = d.constant(0), flag = d.constant(50 + rng_.below(2));
    const bool ordered = rng_.chance(0.3), all = rng_.chance(0.5);
    const auto leave = [&] { d.store(b_, global_, leaf()); };
    if (all)
      leave();
    else
      d.when(d.op(Op::eq, tid_, zero), leave);
    if (rng_.chance(0.2)) d.put(fence());
    if (all ? rng_.chance(0.9) : rng_.chance(0.3)) d.barrier(true, rng_.chance(0.95));
    d.when(rng_.chance(0.95) ? d.op(Op::eq, tid_, zero) : condition(), [&] {
      if (!ordered && rng_.chance(0.9)) d.put(fence());
      const AtomicOp op = rng_.chance(0.5) ? AtomicOp::add : AtomicOp::increment_to;
      const ValueId got = synchronise(count_, rng_.chance(0.9) ? zero : gid_, op,
                                      {op == AtomicOp::add ? d.constant(1) : d.constant(k_groups - 1)},
                                      ordered ? (rng_.chance(0.9) ? Order::acq_rel : Order::release) : Order::relaxed,
                                      rng_.chance(0.95) ? Scope::device : Scope::group);
      const ValueId last =
          d.op(rng_.chance(0.8) ? Op::eq : Op::uge, got, d.constant(rng_.chance(0.9) ? k_groups - 1 : k_groups - 2));
      if (!ordered && rng_.chance(0.6)) d.put(fence());
      d.store(s_, flag, d.put(Compute{.op = Op::zext, .operands = {last}}, k_int));
    });
    if (rng_.chance(0.9)) d.barrier(true, rng_.chance(0.95));
    if (!ordered && rng_.chance(0.2)) d.put(fence());
    d.when(d.op(Op::ne, d.load(s_, flag), zero), [&] {
      const ValueId v = d.load(b_, d.op(Op::and_, expression(1), d.constant(7)));
      if (rng_.chance(0.5)) d.store(a_, rng_.chance(0.7) ? global_ : tid_, v);
      if (rng_.chance(0.3)) d.when(d.op(Op::eq, tid_, zero), [&] { d.store(count_, zero, zero); });
      if (rng_.chance(0.3)) block(1, 2);
    });
  }
  // What lanes give to each other; mostly, all take part.
  void exchange() {
    static constexpr WarpExchange::Kind k_kinds[] = {
        WarpExchange::shuffle,     WarpExchange::shuffle_up, WarpExchange::shuffle_down,
        WarpExchange::shuffle_xor, WarpExchange::vote_any,   WarpExchange::vote_all,
        WarpExchange::ballot,      WarpExchange::match_any,  WarpExchange::reduce};
    WarpExchange w{.kind = k_kinds[rng_.below(9)]};
    w.operands = {leaf()};
    if (w.kind <= WarpExchange::shuffle_xor) w.operands.push_back(rng_.chance(0.7) ? small() : leaf());
    if (rng_.chance(0.8)) w.mask = d.constant(rng_.chance(0.9) ? 0xffffffff : 1 + rng_.below(15));
    const bool vote = w.kind == WarpExchange::vote_any || w.kind == WarpExchange::vote_all;
    const ValueId v = d.put(std::move(w), k_int);
    if (vote) {
      if (rng_.chance(0.5)) d.when(d.op(Op::ne, v, d.constant(0)), [&] { block(1, 2); });
    }
    values_.push_back(d.op(Op::and_, v, d.constant(7)));
  }
  // Of the whole warp, or of some of its lanes.
  void warp_barrier() {
    const ValueId on = d.constant(1, k_bit);
    Barrier b{.scope = Scope::warp, .local_fence = on, .global_fence = on};
    if (rng_.chance(0.5)) {
      d.put(std::move(b));
      return;
    }
    const ValueId mask = b.mask = d.constant(rng_.chance(0.5) ? 0xffffffff : 1 + rng_.below(15));
    const ValueId lane = d.op(Op::urem, tid_, d.constant(lanes_));
    const ValueId named = d.op(Op::and_, d.op(Op::lshr, mask, lane), d.constant(1));
    if (rng_.chance(0.9))
      d.when(d.op(Op::eq, named, d.constant(1)), [&] { d.put(std::move(b)); });
    else
      d.put(std::move(b));
  }
  void loop(int depth) {
    const auto body = [&](ValueId i) {
      const std::vector<ValueId> outer = values_;
      values_.push_back(i);
      values_.push_back(i);
      block(1 + static_cast<int>(rng_.below(3)), depth + 1);
      values_ = outer;
    };
    const uint64_t step = 1 + rng_.below(4);
    if (any_size_ && rng_.chance(0.4)) {
      // All that a group or the grid has to do, in steps of its size; or rows of it.
      const ValueId by = strides_[rng_.below(strides_.size())];
      const bool flags = rng_.chance(0.5);
      if (rng_.chance(0.6)) {
        const ValueId from = rng_.chance(0.4) ? tid_ : rng_.chance(0.6) ? global_ : d.constant(rng_.below(2));
        const ValueId to = rng_.chance(0.5)   ? d.constant(3 + rng_.below(20))
                           : rng_.chance(0.5) ? n_
                                              : d.op(Op::mul, by, d.constant(1 + rng_.below(3)));
        const bool alone = rng_.chance(0.5);
        d.loop(
            from, rng_.chance(0.5) ? Op::slt : Op::ult, to, [&](ValueId i) { return d.op(Op::add, i, by, flags); },
            [&](ValueId i) {
              if (alone) d.store(array(), rng_.chance(0.7) ? i : d.op(Op::add, i, tid_), leaf());
              body(i);
            });
      } else {
        d.count(d.constant(0), d.constant(1 + rng_.below(4)), 1, [&](ValueId i) {
          const ValueId at =
              d.op(Op::add, d.op(Op::mul, i, by), rng_.chance(0.7) ? (rng_.chance(0.5) ? tid_ : global_) : leaf());
          d.store(array(), at, leaf());
          values_.push_back(at);
          body(i);
          values_.pop_back();
        });
      }
      return;
    }
    switch (rng_.below(5)) {
      case 0:
        d.count(d.constant(0), rng_.chance(0.5) ? n_ : d.constant(rng_.below(6)), step, body);
        break;
      case 1:
        d.count(rng_.chance(0.5) ? tid_ : global_, d.constant(8), rng_.chance(0.5) ? k_local : step, body);
        break;
      case 2:
        d.loop(
            d.constant(4), rng_.chance(0.5) ? Op::ugt : Op::ne, d.constant(0),
            [&](ValueId i) { return d.op(rng_.chance(0.5) ? Op::lshr : Op::ashr, i, d.constant(1)); }, body);
        break;
      case 3:
        d.loop(d.constant(1), Op::slt, d.constant(8), [&](ValueId i) { return d.op(Op::shl, i, d.constant(1)); }, body);
        break;
      default:
        d.loop(
            d.constant(rng_.below(6)), Op::sgt, rng_.chance(0.5) ? d.constant(0) : gid_,
            [&](ValueId i) { return d.op(Op::sub, i, d.constant(1), true); }, body);
    }
  }
  uint32_t lanes_;
  bool any_size_, synchronising_ = false;
  Rng rng_;
  ValueId n_, a_, b_, c_, s_, lock_, count_, tid_, gid_, global_, last_;
  std::vector<ValueId> values_, strides_;
};

// Locks are free and counters are 0 at the start.
void free_locks(const Kernel& k, interp::Inputs& inputs) {
  for (uint32_t r = 0; r < k.d.m.regions.size(); ++r)
    if (k.d.m.regions[r].name == "L" || k.d.m.regions[r].name == "T") inputs.contents[r] = std::vector<uint8_t>(64, 0);
}

bool as_in_the_guide(const Result& r) {
  return std::any_of(r.assumptions.begin(), r.assumptions.end(),
                     [](const Assumption& a) { return a.kind == Assumption::as_in_guide; });
}

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* v = std::getenv(variable);
  return v == nullptr ? otherwise : std::strtoull(v, nullptr, 10);
}

TEST(ProveFuzz, nothing_that_goes_wrong_is_verified) {
  const uint64_t kernels = number("FENCEPOST_FUZZ_KERNELS", 150), first = number("FENCEPOST_FUZZ_SEED", 1);
  uint64_t verified = 0, refuted = 0, confirmed = 0, other = 0, in_step_ended = 0;
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    // No warps; warps of which only barriers are known; warps in lock-step, by either method.
    const int warps = static_cast<int>(seed / 2 % 4);
    const uint32_t lanes = seed % 5 == 4 ? 4 : 2;
    Kernel k(seed, warps > 0 ? lanes : 0);
    k.d.options.refined_atomics = seed % 2 == 0;
    k.d.options.benign = seed % 3 != 0;
    k.d.options.warp_size = lanes;
    k.d.options.warp_barriers = warps > 0;
    k.d.options.warp_sync = warps > 1 ? lanes : 0;
    k.d.options.warp_method = warps == 2 ? WarpMethod::resync : WarpMethod::two_pass;
    const Result r = k.d.run(k_local, k_groups);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    std::string what;
    bool equal_values = false;
    interp::Shape shape;
    shape.local_size[0] = k_local;
    shape.num_groups[0] = k_groups;
    shape.warp_size = lanes;
    shape.lock_step = warps > 1;
    shape.barriers_acquire = as_in_the_guide(r);
    for (uint64_t s = 1; s <= 12 && what.empty(); ++s) {
      interp::Inputs inputs;
      inputs.seed = seed * 100 + s;
      inputs.arguments[0] = s % 7;
      free_locks(k, inputs);
      const interp::Outcome o = interp::run(k.d.m, {0}, shape, inputs, {.steps = 20'000});
      in_step_ended += shape.lock_step && o.status == interp::Outcome::ended ? 1 : 0;
      const interp::Defect* d = o.first_defect(!k.d.options.benign);
      if (d != nullptr) {
        what = interp::describe(k.d.m, *d);
        equal_values = d->kind == interp::DefectKind::race && d->first.value == d->second.value;
      }
    }
    if (r.verdict.status == Status::holds) {
      ++verified;
      if (equal_values && k.d.options.benign) {
        // A reader that has written the same value itself sees no difference; the interpreter calls that a race.
        k.d.options.benign = false;
        ASSERT_EQ(k.d.verdict(k_local, k_groups), Status::fails) << "seed " << seed << "\n" << ir::print(k.d.m);
        continue;
      }
      ASSERT_EQ(what, "") << "seed " << seed << "\n" << ir::print(k.d.m);
    } else if (r.verdict.status == Status::fails) {
      ++refuted;
      confirmed += what.empty() ? 0 : 1;
      if (what.empty() && std::getenv("FENCEPOST_FUZZ_SHOW") != nullptr)
        std::cout << "seed " << seed << ": " << name(r.findings[0].kind) << " " << ir::where(k.d.m, r.findings[0].place)
                  << "\n"
                  << ir::print(k.d.m);
    } else {
      ++other;
    }
  }
  RecordProperty("verified", static_cast<int>(verified));
  std::cout << verified << " verified, " << refuted << " refuted (" << confirmed << " seen to go wrong), " << other
            << " undecided; " << in_step_ended << " runs in lock-step\n";
  EXPECT_GT(verified, 0u);
}

// Verified for launches of any size: then no size has a defect.
TEST(ProveFuzz, nothing_that_goes_wrong_at_some_size_is_verified_for_all) {
  const uint64_t kernels = number("FENCEPOST_FUZZ_KERNELS", 12), first = number("FENCEPOST_FUZZ_SEED", 1);
  uint64_t verified = 0, runs = 0;
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    const auto dimensions = static_cast<uint8_t>(1 + seed % 3);
    Kernel k(seed, 0, dimensions);
    k.d.options.max_findings = 1;  // one is enough
    if (std::getenv("FENCEPOST_FUZZ_SHOW") != nullptr) std::cout << "seed " << seed << std::endl;
    if (k.d.verdict(0, 0, 3) != Status::holds) continue;
    ++verified;
    const bool guide = as_in_the_guide(k.d.last);
    for (uint64_t s = 1; s <= 15; ++s) {
      interp::Shape shape;
      shape.local_size[0] = static_cast<uint32_t>(1 + s % 5);
      shape.num_groups[0] = static_cast<uint32_t>(1 + s / 5);
      shape.barriers_acquire = guide;
      for (size_t k2 = 1; k2 < dimensions; ++k2) {
        shape.local_size[k2] = static_cast<uint32_t>(1 + (s + k2) % 3);
        shape.num_groups[k2] = static_cast<uint32_t>(1 + (s / 2 + k2) % 2);
      }
      shape.work_dim = dimensions;
      interp::Inputs inputs;
      inputs.seed = seed * 100 + s;
      inputs.arguments[0] = s % 7;
      free_locks(k, inputs);
      const interp::Outcome o = interp::run(k.d.m, {0}, shape, inputs, {.steps = 20'000});
      ++runs;
      for (const interp::Defect& x : o.defects) {
        using interp::DefectKind;
        // The length of the shared array is not asked about; equal values were written by intent.
        if (x.kind == DefectKind::out_of_bounds || x.same_value ||
            (x.kind == DefectKind::race && x.first.value == x.second.value))
          continue;
        ADD_FAILURE() << "seed " << seed << ", " << shape.local_size[0] << "," << shape.local_size[1] << ","
                      << shape.local_size[2] << " x " << shape.num_groups[0] << "," << shape.num_groups[1] << ","
                      << shape.num_groups[2] << ": " << interp::describe(k.d.m, x) << "\n"
                      << ir::print(k.d.m);
      }
    }
    ASSERT_FALSE(HasFailure());
  }
  std::cout << verified << " verified for any size, " << runs << " runs\n";
  EXPECT_GT(verified, 0u);
}

}  // namespace
}  // namespace fencepost::prove
