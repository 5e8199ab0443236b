// Small kernels with known answers, each beside a near miss.
#include "draft.h"

namespace fencepost::prove {
namespace {

TEST(Prove, every_thread_its_own_element) {
  Draft d;
  const ValueId a = d.pointer_parameter("A");
  d.store(a, d.global_id(), d.constant(1));
  EXPECT_EQ(d.verdict(), Status::holds);
}

TEST(Prove, a_neighbour_is_read_while_it_is_written) {
  Draft d;
  const ValueId a = d.pointer_parameter("A"), tid = d.global_id();
  const ValueId x = d.load(a, d.op(Op::add, tid, d.constant(1)));
  d.store(a, tid, x);
  ASSERT_EQ(d.verdict(), Status::fails);
  const Finding& f = d.last.findings.front();
  EXPECT_EQ(f.kind, Kind::race);
  EXPECT_EQ(f.offset, f.other_offset);
  EXPECT_EQ(f.threads.size(), 2u);
}

TEST(Prove, the_same_value_everywhere_is_tolerated) {
  for (const bool benign : {true, false}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A");
    d.store(a, d.constant(0), d.constant(7));
    d.options.benign = benign;
    EXPECT_EQ(d.verdict(), benign ? Status::holds : Status::fails);
  }
  Draft d;
  const ValueId a = d.pointer_parameter("A");
  d.store(a, d.constant(0), d.lid());
  EXPECT_EQ(d.verdict(), Status::fails);
}

TEST(Prove, a_barrier_separates_within_a_group_only) {
  for (const bool with : {true, false}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), tid = d.lid();
    d.store(s, tid, tid);
    if (with) d.barrier();
    const ValueId a = d.pointer_parameter("A");
    d.store(a, d.global_id(), d.load(s, d.op(Op::sub, d.constant(63), tid)));
    EXPECT_EQ(d.verdict(), with ? Status::holds : Status::fails);
  }
  Draft d;  // global memory, another group
  const ValueId a = d.pointer_parameter("A"), tid = d.lid();
  d.store(a, tid, d.gid());
  EXPECT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.verdict(64, 1), Status::holds);
}

TEST(Prove, a_fence_must_be_of_the_right_memory) {
  for (const bool local : {true, false}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), tid = d.lid();
    d.store(s, tid, tid);
    d.barrier(local, !local);
    const ValueId a = d.pointer_parameter("A");
    d.store(a, d.global_id(), d.load(s, d.op(Op::sub, d.constant(63), tid)));
    EXPECT_EQ(d.verdict(), local ? Status::holds : Status::fails);
  }
}

TEST(Prove, barriers_must_be_reached_together) {
  for (const bool uniform : {true, false}) {
    Draft d;
    const ValueId n = d.scalar_parameter("n");
    d.when(d.op(Op::slt, uniform ? d.gid() : d.lid(), n), [&] { d.barrier(); });
    EXPECT_EQ(d.verdict(), uniform ? Status::holds : Status::fails);
    if (!uniform) {
      EXPECT_EQ(d.last.findings.front().kind, Kind::barrier_divergence);
    }
  }
}

TEST(Prove, strided_loops_have_closed_forms) {
  for (const uint64_t step : {256, 255}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A"), n = d.scalar_parameter("n");
    d.count(d.global_id(), n, step, [&](ValueId i) { d.store(a, i, d.lid()); });
    EXPECT_EQ(d.verdict(), step == 256 ? Status::holds : Status::fails) << step;
  }
}

TEST(Prove, blocks_of_iterations_do_not_meet) {
  for (const uint64_t bound : {16, 17}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A"), base = d.op(Op::mul, d.global_id(), d.constant(16));
    d.count(d.constant(0), d.constant(bound), 1, [&](ValueId i) { d.store(a, d.op(Op::add, base, i), d.lid()); });
    EXPECT_EQ(d.verdict(), bound == 16 ? Status::holds : Status::fails) << bound;
  }
}

// for (d = 32; d > 0; d >>= 1) { if (lid < d) s[lid] += s[lid + d]; barrier(); }
Draft reduction(bool barrier, bool before, uint64_t slip = 0) {
  Draft d;
  const ValueId s = d.group_array("s", 256), tid = d.lid(), in = d.pointer_parameter("in");
  d.store(s, tid, d.load(in, d.global_id()));
  if (before) d.barrier();
  d.loop(
      d.constant(32), Op::ugt, d.constant(0), [&](ValueId i) { return d.op(Op::lshr, i, d.constant(1)); },
      [&](ValueId i) {
        d.when(d.op(Op::ult, tid, d.op(Op::add, i, d.constant(slip))),
               [&] { d.store(s, tid, d.op(Op::add, d.load(s, tid), d.load(s, d.op(Op::add, tid, i)))); });
        if (barrier) d.barrier();
      });
  d.when(d.op(Op::eq, tid, d.constant(0)),
         [&] { d.store(d.pointer_parameter("out"), d.gid(), d.load(s, d.constant(0))); });
  return d;
}

TEST(Prove, a_reduction_tree) {
  EXPECT_EQ(reduction(true, true).verdict(), Status::holds);
  EXPECT_EQ(reduction(false, true).verdict(), Status::fails);
  EXPECT_EQ(reduction(true, false).verdict(), Status::fails);
  EXPECT_EQ(reduction(true, true, 1).verdict(), Status::fails);
}

TEST(Prove, a_loop_with_barriers_and_two_phases) {
  for (const int barriers : {0, 1, 2}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), tid = d.lid(), n = d.scalar_parameter("n"), a = d.pointer_parameter("A");
    d.count(d.constant(0), n, 1, [&](ValueId i) {
      d.store(s, tid, i);
      if (barriers > 0) d.barrier();
      d.store(a, d.global_id(), d.load(s, d.op(Op::sub, d.constant(63), tid)));
      if (barriers > 1) d.barrier();
    });
    EXPECT_EQ(d.verdict(), barriers == 2 ? Status::holds : Status::fails) << barriers;
  }
}

TEST(Prove, threads_that_leave_a_barrier_loop_apart_diverge) {
  for (const bool uniform : {true, false}) {
    Draft d;
    const ValueId n = d.scalar_parameter("n");
    d.count(uniform ? d.constant(0) : d.lid(), n, 1, [&](ValueId) { d.barrier(); });
    EXPECT_EQ(d.verdict(), uniform ? Status::holds : Status::fails);
  }
  Draft d;  // different starts, same number of rounds
  d.count(d.lid(), d.constant(640), 64, [&](ValueId) { d.barrier(); });
  EXPECT_EQ(d.verdict(), Status::holds);
}

TEST(Prove, atomics_race_with_plain_accesses_only) {
  for (const bool plain : {true, false}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A"), out = d.pointer_parameter("out");
    const ValueId old = d.atomic_add(a, d.constant(0), d.constant(1));
    d.store(out, d.global_id(), plain ? d.load(a, d.constant(0)) : old);
    EXPECT_EQ(d.verdict(), plain ? Status::fails : Status::holds);
  }
}

TEST(Prove, assertions_and_assumptions) {
  for (const uint64_t bound : {64, 63}) {
    Draft d;
    d.note(Note::assert_, d.op(Op::ult, d.lid(), d.constant(bound)));
    EXPECT_EQ(d.verdict(), bound == 64 ? Status::holds : Status::fails);
  }
  Draft d;
  const ValueId n = d.scalar_parameter("n");
  d.note(Note::requires_, d.op(Op::slt, n, d.constant(5)));
  d.note(Note::assert_, d.op(Op::slt, n, d.constant(5)));
  EXPECT_EQ(d.verdict(), Status::holds);
  EXPECT_FALSE(d.last.verdict.vacuous);
}

TEST(Prove, requirements_that_contradict_each_other_are_vacuous) {
  Draft d;
  const ValueId n = d.scalar_parameter("n");
  d.note(Note::requires_, d.op(Op::slt, n, d.constant(5)));
  d.note(Note::requires_, d.op(Op::sgt, n, d.constant(5)));
  d.note(Note::assert_, d.constant(0, k_bit));
  EXPECT_EQ(d.verdict(), Status::holds);
  EXPECT_TRUE(d.last.verdict.vacuous);
}

TEST(Prove, invariants_are_checked_at_both_ends) {
  const auto loop = [](auto invariant) {
    Draft d;
    d.header_notes = [&d, invariant](ValueId i) { d.note(Note::invariant, invariant(d, i)); };
    d.count(d.constant(0), d.constant(100), 2, [](ValueId) {});
    d.verdict();
    return d.last;
  };
  EXPECT_EQ(loop([](Draft& d, ValueId i) {
              return d.op(Op::eq, d.op(Op::and_, i, d.constant(1)), d.constant(0));
            }).verdict.status,
            Status::holds);
  const Result entry = loop([](Draft& d, ValueId i) { return d.op(Op::sgt, i, d.constant(0)); });
  ASSERT_EQ(entry.verdict.status, Status::fails);
  EXPECT_EQ(entry.findings.front().kind, Kind::invariant_entry);
  const Result kept = loop([](Draft& d, ValueId i) { return d.op(Op::slt, i, d.constant(50)); });
  ASSERT_EQ(kept.verdict.status, Status::fails);
  EXPECT_EQ(kept.findings.front().kind, Kind::invariant_maintained);
}

TEST(Prove, equal_contents_after_a_barrier) {
  // Both threads read s[0] after a barrier: the same value, so the branch is together.
  for (const bool barrier : {true, false}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), tid = d.lid();
    d.when(d.op(Op::eq, tid, d.constant(0)), [&] { d.store(s, d.constant(0), d.gid()); });
    if (barrier) d.barrier();
    const ValueId v = d.load(s, d.constant(0));
    d.when(d.op(Op::eq, v, d.constant(3)), [&] { d.barrier(); });
    EXPECT_EQ(d.verdict(), barrier ? Status::holds : Status::fails);
  }
  Draft d;
  const ValueId s = d.group_array("s", 256), tid = d.lid();
  d.when(d.op(Op::eq, tid, d.constant(0)), [&] { d.store(s, d.constant(0), d.gid()); });
  d.barrier();
  const ValueId v = d.load(s, d.constant(0));
  d.when(d.op(Op::eq, v, d.constant(3)), [&] { d.barrier(); });
  d.options.abstraction = Abstraction::adversarial;
  EXPECT_EQ(d.verdict(), Status::fails);
}

TEST(Prove, null_and_bounds) {
  Draft d;
  const ValueId a = d.pointer_parameter("A"), n = d.scalar_parameter("n");
  const ValueId null = d.value({.kind = Value::constant, .type = k_pointer});
  const ValueId p = d.put(Compute{.op = Op::ite, .operands = {d.op(Op::eq, n, d.constant(3)), null, a}}, k_pointer);
  d.put(Load{{.pointer = p, .bytes = 4, .regions = {{0}}, .site = d.m.sites++}}, k_int);
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings.front().kind, Kind::null_pointer);
  EXPECT_EQ(d.last.findings.front().arguments.front(), (std::pair<std::string, uint64_t>{"n", 3}));

  for (const uint64_t size : {256, 252}) {
    Draft e;
    const ValueId s = e.group_array("s", size);
    e.options.check_bounds = true;
    e.store(s, e.lid(), e.constant(0));
    EXPECT_EQ(e.verdict(), size == 256 ? Status::holds : Status::fails);
  }
}

TEST(Prove, what_is_not_modelled_is_never_verified) {
  Draft d;
  const ValueId yes = d.constant(1, k_bit);
  d.put(Barrier{.local_fence = yes, .global_fence = yes, .count = d.constant(32)});
  EXPECT_EQ(d.verdict(), Status::unsupported);
  // A ghost that is also an array of the kernel.
  Draft e;
  const ValueId a = e.pointer_parameter("A"), b = e.pointer_parameter("B");
  e.put(Snapshot{{.pointer = a, .bytes = 4, .regions = e.regions(a)},
                 {.pointer = b, .bytes = 4, .regions = e.regions(b)}});
  e.store(a, e.lid(), e.constant(1));
  EXPECT_EQ(e.verdict(64, 1), Status::unsupported);
}

// What is computed for accesses that nothing is asked of is left alone: no invariants are proposed about it.
TEST(Prove, invariants_are_about_what_is_asked) {
  const auto proposed = [](bool sized, bool bounds) {
    Draft d;
    const ValueId a = d.pointer_parameter("a"), o = d.pointer_parameter("o"), n = d.scalar_parameter("n");
    if (sized) d.m.regions[0].size = 4096;
    d.options.check_bounds = bounds;
    d.accumulate(
        d.constant(0), Op::slt, n, 1, d.constant(3),
        [&](ValueId, ValueId j) { return d.op(Op::and_, d.op(Op::mul, j, j), d.constant(255)); },
        [&](ValueId, ValueId j) { d.load(a, j); });
    d.store(o, d.global_id(), n);
    d.verdict();
    return !d.last.candidates.empty();
  };
  EXPECT_TRUE(proposed(true, true));
  EXPECT_FALSE(proposed(false, true));
  EXPECT_FALSE(proposed(true, false));
}

}  // namespace
}  // namespace fencepost::prove
