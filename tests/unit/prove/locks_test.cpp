// Compare-and-swap locks: what a critical section protects, and what is wrong with one.
#include "draft.h"

namespace fencepost::prove {
namespace {

struct Faults {
  bool no_fence_before = false, no_fence_after = false, other_place = false, no_release = false, after_release = false;
  bool release_unheld = false, plain_release = false, other_values = false;
  Scope scope = Scope::device;
  Order before = Order::acq_rel, after = Order::acq_rel;  // of the fences
};

// done = false; while (!done) if (atomicCAS(lock, 0, 1) == 0) { *counter += lid; atomicExch(lock, 0); done = true; }
Status section(const Faults& wrong, uint64_t groups = 4) {
  Draft d;
  const ValueId lock = d.pointer_parameter("lock"), counter = d.pointer_parameter("counter"), zero = d.constant(0),
                one = d.constant(1);
  const ValueId at = wrong.other_place ? d.op(Op::and_, d.lid(), one) : zero;
  const auto access = [&] {
    return Access{.pointer = d.element(lock, at), .bytes = 4, .regions = d.regions(lock), .site = d.m.sites++};
  };
  const auto release = [&] {
    if (wrong.plain_release)
      d.store(lock, at, zero);
    else
      d.put(Atomic{.op = AtomicOp::exchange, .access = access(), .operands = {zero}, .scope = wrong.scope}, k_int);
  };
  d.loop(
      zero, Op::ult, one,
      [&](ValueId i) {
        const ValueId got = d.put(
            Atomic{.op = AtomicOp::compare_exchange, .access = access(), .operands = {zero, one}, .scope = wrong.scope},
            k_int);
        const ValueId mine = d.op(wrong.other_values ? Op::ne : Op::eq, got, zero);
        d.when(mine, [&] {
          const auto use = [&] { d.store(counter, zero, d.op(Op::add, d.load(counter, zero), d.lid())); };
          if (!wrong.no_fence_before) d.put(Fence{.order = wrong.before, .scope = wrong.scope});
          if (!wrong.after_release) use();
          if (!wrong.no_fence_after) d.put(Fence{.order = wrong.after, .scope = wrong.scope});
          if (!wrong.no_release) release();
          if (wrong.after_release) use();
        });
        if (wrong.release_unheld) release();
        return d.op(Op::add, i, d.put(Compute{.op = Op::zext, .operands = {mine}}, k_int));
      },
      [](ValueId) {});
  return d.verdict(64, groups);
}

TEST(Locks, a_critical_section_is_free_of_races) {
  EXPECT_EQ(section({}), Status::holds);
  EXPECT_EQ(section({.no_release = true}), Status::holds);  // no one else ever gets in
}

TEST(Locks, each_part_is_needed) {
  EXPECT_EQ(section({.no_fence_before = true}), Status::fails);
  EXPECT_EQ(section({.no_fence_after = true}), Status::fails);
  EXPECT_EQ(section({.other_place = true}), Status::fails);
  EXPECT_EQ(section({.after_release = true}), Status::fails);
  EXPECT_EQ(section({.release_unheld = true}), Status::fails);
  EXPECT_EQ(section({.plain_release = true}), Status::fails);
  EXPECT_EQ(section({.other_values = true}), Status::fails);
  EXPECT_EQ(section({.scope = Scope::group}), Status::fails);
  EXPECT_EQ(section({.scope = Scope::group}, 1), Status::holds);
}

TEST(Locks, fences_acquire_behind_taking_and_release_before_giving_back) {
  EXPECT_EQ(section({.before = Order::acquire, .after = Order::release}), Status::holds);
  EXPECT_EQ(section({.before = Order::release}), Status::fails);
  EXPECT_EQ(section({.after = Order::acquire}), Status::fails);
}

// OpenCL: the orders of a lock in global memory say nothing of local memory.
TEST(Locks, orders_are_of_one_address_space) {
  for (const bool local : {false, true}) {
    Draft d;
    const ValueId lock = d.pointer_parameter("lock"), zero = d.constant(0), one = d.constant(1);
    const ValueId sum = local ? d.group_array("sum", 4) : d.pointer_parameter("sum");
    const auto atomic = [&](AtomicOp op, std::vector<ValueId> operands, Order order) {
      return d.put(Atomic{.op = op,
                          .access = {.pointer = lock, .bytes = 4, .regions = d.regions(lock), .site = d.m.sites++},
                          .operands = std::move(operands),
                          .order = order,
                          .scope = Scope::device},
                   k_int);
    };
    d.when(d.op(Op::eq, atomic(AtomicOp::compare_exchange, {zero, one}, Order::acquire), zero), [&] {
      d.store(sum, zero, d.op(Op::add, d.load(sum, zero), d.lid()));
      atomic(AtomicOp::exchange, {zero}, Order::release);
    });
    EXPECT_EQ(d.verdict(), local ? Status::fails : Status::holds);
  }
}

// while (atomicCAS(lock, 0, 1) != 0); fence; use; fence; atomicExch(lock, 0);
TEST(Locks, a_spin_loop_before_the_section) {
  for (const bool right : {true, false}) {
    Draft d;
    const ValueId lock = d.pointer_parameter("lock"), counter = d.pointer_parameter("counter"), zero = d.constant(0),
                  one = d.constant(1);
    const auto atomic = [&](AtomicOp op, std::vector<ValueId> operands) {
      return d.put(Atomic{.op = op,
                          .access = {.pointer = lock, .bytes = 4, .regions = d.regions(lock), .site = d.m.sites++},
                          .operands = std::move(operands)},
                   k_int);
    };
    const BlockId spin = d.block(), again = d.block(), inside = d.block();
    d.jump(spin);
    d.at = spin;
    d.branch(d.op(Op::ne, atomic(AtomicOp::compare_exchange, {zero, one}), right ? zero : one), again, inside);
    d.at = again;
    d.jump(spin);
    d.at = inside;
    d.put(Fence{});
    d.store(counter, zero, d.op(Op::add, d.load(counter, zero), one));
    d.put(Fence{});
    atomic(AtomicOp::exchange, {zero});
    EXPECT_EQ(d.verdict(), right ? Status::holds : Status::fails);
  }
}

// Between two threads of one group the lock may have been in another, whose threads a fence of the group does not
// reach.
TEST(Locks, a_scope_of_the_group_is_too_narrow_for_a_lock_of_all) {
  for (const bool narrow : {false, true}) {
    Draft d;
    d.m.dialect = Dialect::cuda;
    const ValueId lock = d.pointer_parameter("lock"), sum = d.group_array("sum", 4), zero = d.constant(0),
                  one = d.constant(1);
    const auto atomic = [&](AtomicOp op, std::vector<ValueId> operands) {
      return d.put(Atomic{.op = op,
                          .access = {.pointer = lock, .bytes = 4, .regions = d.regions(lock), .site = d.m.sites++},
                          .operands = std::move(operands)},
                   k_int);
    };
    d.when(d.op(Op::eq, atomic(AtomicOp::compare_exchange, {zero, one}), zero), [&] {
      d.put(Fence{.scope = narrow ? Scope::group : Scope::device});
      d.store(sum, zero, d.op(Op::add, d.load(sum, zero), d.lid()));
      d.put(Fence{});
      atomic(AtomicOp::exchange, {zero});
    });
    EXPECT_EQ(d.verdict(), narrow ? Status::fails : Status::holds);
    EXPECT_EQ(d.verdict(64, 1), Status::holds);
  }
}

TEST(Locks, contents_are_those_of_the_last_holder) {
  Draft d;
  const ValueId lock = d.pointer_parameter("lock"), counter = d.pointer_parameter("counter"), zero = d.constant(0);
  std::vector<ValueId> seen;
  for (int i = 0; i < 2; ++i) {
    const auto access = [&] {
      return Access{.pointer = lock, .bytes = 4, .regions = d.regions(lock), .site = d.m.sites++};
    };
    const ValueId got =
        d.put(Atomic{.op = AtomicOp::compare_exchange, .access = access(), .operands = {zero, d.constant(1)}}, k_int);
    d.note(Note::assume, d.op(Op::eq, got, zero));
    d.put(Fence{});
    seen.push_back(d.load(counter, zero));
    d.store(counter, zero, d.op(Op::add, seen.back(), d.constant(0)));
    d.put(Fence{});
    d.put(Atomic{.op = AtomicOp::exchange, .access = access(), .operands = {zero}}, k_int);
  }
  d.note(Note::assert_, d.op(Op::eq, seen[0], seen[1]));
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings[0].kind, Kind::assertion);
}

}  // namespace
}  // namespace fencepost::prove
