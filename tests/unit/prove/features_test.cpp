// Tickets, warps, group copies, access sets, barrier invariants.
#include <algorithm>

#include "draft.h"

namespace fencepost::prove {
namespace {

TEST(Tickets, a_counter_gives_every_thread_another_slot) {
  for (const int step : {1, 2, 0, -1}) {
    Draft d;
    const ValueId counter = d.pointer_parameter("counter"), out = d.pointer_parameter("out");
    const ValueId slot = d.atomic_add(counter, d.constant(0), d.constant(static_cast<uint32_t>(step)));
    d.store(out, slot, d.global_id());
    EXPECT_EQ(d.verdict(), step == 0 ? Status::fails : Status::holds) << step;
  }
  Draft d;
  const ValueId counter = d.pointer_parameter("counter"), out = d.pointer_parameter("out");
  d.store(out, d.atomic_add(counter, d.constant(0), d.constant(1)), d.global_id());
  d.options.refined_atomics = false;
  EXPECT_EQ(d.verdict(), Status::fails);
}

TEST(Tickets, adding_n_reserves_n) {
  for (const uint64_t used : {4, 5}) {
    Draft d;
    const ValueId counter = d.pointer_parameter("counter"), out = d.pointer_parameter("out");
    const ValueId slot = d.atomic_add(counter, d.constant(0), d.constant(4));
    d.count(d.constant(0), d.constant(used), 1,
            [&](ValueId i) { d.store(out, d.op(Op::add, slot, i), d.global_id()); });
    EXPECT_EQ(d.verdict(), used == 4 ? Status::holds : Status::fails) << used;
  }
}

TEST(Tickets, mixed_directions_and_group_counters_give_nothing_across) {
  {
    Draft d;
    const ValueId counter = d.pointer_parameter("counter"), out = d.pointer_parameter("out");
    d.store(out, d.atomic_add(counter, d.constant(0), d.constant(1)), d.global_id());
    d.atomic_add(counter, d.constant(0), d.constant(0xffffffff));
    EXPECT_EQ(d.verdict(), Status::fails);
  }
  for (const uint64_t groups : {1, 2}) {
    Draft d;
    const ValueId counter = d.group_array("counter", 4), out = d.pointer_parameter("out");
    d.store(out, d.atomic_add(counter, d.constant(0), d.constant(1)), d.global_id());
    EXPECT_EQ(d.verdict(64, groups), groups == 1 ? Status::holds : Status::fails);
  }
}

TEST(Tickets, a_counter_that_may_come_round_is_an_assumption) {
  for (const bool in_loop : {true, false}) {
    Draft d;
    const ValueId counter = d.pointer_parameter("counter"), out = d.pointer_parameter("out");
    const auto take = [&] { d.store(out, d.atomic_add(counter, d.constant(0), d.constant(1)), d.global_id()); };
    if (in_loop)
      d.count(d.constant(0), d.scalar_parameter("n"), 1, [&](ValueId) { take(); });
    else
      take();
    EXPECT_EQ(d.verdict(), Status::holds);
    const auto& all = d.last.assumptions;
    const auto round = [](const auto& a) { return a.text.find("come round") != std::string::npos; };
    EXPECT_EQ(std::count_if(all.begin(), all.end(), round), in_loop ? 1 : 0);
  }
}

TEST(Counters, a_signed_shift_keeps_the_sign) {
  for (const uint64_t value : {0xfffffffcu, 0xfffffffbu}) {  // -4 comes up, -5 does not
    Draft d;
    d.loop(
        d.constant(0xfffffff8), Op::slt, d.constant(0xffffffff),
        [&](ValueId i) { return d.op(Op::ashr, i, d.constant(1)); },
        [&](ValueId i) { d.note(Note::assert_, d.op(Op::ne, i, d.constant(value))); });
    EXPECT_EQ(d.verdict(), value == 0xfffffffcu ? Status::fails : Status::holds);
  }
}

// The first threads of each group take a ticket for all of it.
Status master(uint64_t masters, bool barrier, bool group_counter, uint64_t factor = 64) {
  Draft d;
  const ValueId counter = group_counter ? d.group_array("counter", 4) : d.pointer_parameter("counter");
  const ValueId s = d.group_array("s", 4), out = d.pointer_parameter("out"), zero = d.constant(0);
  d.when(d.op(Op::ult, d.lid(), d.constant(masters)),
         [&] { d.store(s, zero, d.atomic_add(counter, zero, d.constant(1))); });
  if (barrier) d.barrier();
  d.store(out, d.op(Op::add, d.op(Op::mul, d.load(s, zero), d.constant(factor)), d.lid()), d.gid());
  return d.verdict(64, 4);
}

TEST(Master, what_one_thread_took_is_the_groups) {
  // Four tickets are three apart at most; distinct ones may still give the same place when the product wraps.
  EXPECT_EQ(master(1, true, false), Status::holds);
  EXPECT_EQ(master(1, true, false, 0x40000000), Status::holds);
  EXPECT_EQ(master(1, true, false, 0x80000000), Status::fails);
  Draft d;
  const ValueId counter = d.pointer_parameter("counter"), s = d.group_array("s", 4), out = d.pointer_parameter("out"),
                zero = d.constant(0);
  const auto kernel = [&](uint64_t masters, bool barrier) {
    d.when(d.op(Op::ult, d.lid(), d.constant(masters)),
           [&] { d.store(s, zero, d.atomic_add(counter, zero, d.constant(1))); });
    if (barrier) d.barrier();
    const ValueId ticket = d.load(s, zero);
    d.when(d.op(Op::ult, ticket, d.constant(1000)),
           [&] { d.store(out, d.op(Op::add, d.op(Op::mul, ticket, d.constant(64)), d.lid()), d.gid()); });
  };
  kernel(1, true);
  EXPECT_EQ(d.verdict(64, 4), Status::holds);
  d.options.refined_atomics = false;
  EXPECT_EQ(d.verdict(64, 4), Status::fails);
}

TEST(Master, must_be_one_thread_and_be_waited_for) {
  EXPECT_EQ(master(2, true, false), Status::fails);
  EXPECT_EQ(master(1, false, false), Status::fails);
  EXPECT_EQ(master(1, true, true), Status::fails);  // each group counts for itself
}

TEST(Master, is_overwritten_by_later_stores) {
  for (const bool again : {false, true}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), out = d.pointer_parameter("out"), zero = d.constant(0);
    d.when(d.op(Op::eq, d.lid(), zero), [&] { d.store(s, zero, d.gid()); });
    if (again) d.when(d.op(Op::ult, d.lid(), d.constant(1)), [&] { d.store(s, d.lid(), d.constant(7)); });
    d.barrier();
    d.when(d.op(Op::eq, d.lid(), zero), [&] { d.store(out, d.load(s, zero), d.gid()); });
    EXPECT_EQ(d.verdict(64, 4), again ? Status::fails : Status::holds);
  }
}

TEST(Scopes, an_atomic_of_a_group_is_none_for_others) {
  for (const Scope scope : {Scope::group, Scope::device})
    for (const uint64_t groups : {1, 2}) {
      Draft d;
      const ValueId counter = d.pointer_parameter("counter");
      d.put(Atomic{.op = AtomicOp::add,
                   .access = {.pointer = counter, .bytes = 4, .regions = d.regions(counter), .site = d.m.sites++},
                   .operands = {d.constant(1)},
                   .scope = scope,
                   .spelling = "atomic_add"},
            k_int);
      EXPECT_EQ(d.verdict(64, groups), scope == Scope::group && groups == 2 ? Status::fails : Status::holds);
    }
}

// s[lid] = lid; out[...] = s[lid ^ distance]
Status exchange(uint32_t warp, uint64_t distance, bool guarded = false) {
  Draft d;
  const ValueId s = d.group_array("s", 256), out = d.pointer_parameter("out"), tid = d.lid();
  const auto write = [&] { d.store(s, tid, tid); };
  if (guarded)
    d.when(d.op(Op::ult, d.op(Op::and_, tid, d.constant(31)), d.constant(16)), write);
  else
    write();
  d.store(out, d.global_id(), d.load(s, d.op(Op::xor_, tid, d.constant(distance))));
  d.options.warp_sync = warp;
  return d.verdict();
}

TEST(Warps, threads_of_a_warp_need_no_barrier) {
  EXPECT_EQ(exchange(0, 1), Status::fails);
  EXPECT_EQ(exchange(32, 1), Status::holds);
  EXPECT_EQ(exchange(32, 32), Status::fails);  // another warp
  EXPECT_EQ(exchange(16, 16), Status::fails);
  EXPECT_EQ(exchange(32, 16, true), Status::holds);  // they meet again at the load
}

TEST(Warps, one_instruction_still_races_with_itself) {
  Draft d;
  const ValueId s = d.group_array("s", 256), tid = d.lid();
  d.store(s, d.op(Op::lshr, tid, d.constant(1)), tid);
  d.options.warp_sync = 32;
  EXPECT_EQ(d.verdict(), Status::fails);
}

TEST(Warps, what_others_of_the_warp_stored_is_not_what_was_there) {
  // The example of section 3.3 of the warps paper, in our words: contents cannot be taken for stable between barriers.
  Draft d;
  const ValueId s = d.group_array("s", 256), tid = d.lid(), other = d.op(Op::xor_, tid, d.constant(1));
  const ValueId before = d.load(s, other);
  d.store(s, tid, d.constant(7));
  const ValueId after = d.load(s, other);
  d.note(Note::assert_, d.op(Op::eq, before, after));
  d.options.warp_sync = 32;
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings.front().kind, Kind::assertion);
}

// copy in[..] to s, wait, barrier, read s
Status group_copy(bool wait, bool barrier, bool uniform = true) {
  Draft d;
  const ValueId s = d.group_array("s", 256), in = d.pointer_parameter("in"), out = d.pointer_parameter("out");
  const ValueId source = d.element(in, d.op(Op::mul, uniform ? d.gid() : d.lid(), d.constant(64)));
  const ValueId event = d.put(AsyncCopy{.destination = {.pointer = s, .bytes = 4, .regions = d.regions(s)},
                                        .source = {.pointer = source, .bytes = 4, .regions = d.regions(in)},
                                        .count = d.constant(64)},
                              k_int);
  if (wait) d.put(WaitEvents{{event}});
  if (barrier) d.barrier();
  d.store(out, d.global_id(), d.load(s, d.lid()));
  return d.verdict();
}

TEST(GroupCopies, end_with_a_wait_and_a_barrier) {
  EXPECT_EQ(group_copy(true, true), Status::holds);
  EXPECT_EQ(group_copy(false, true), Status::fails);
  EXPECT_EQ(group_copy(true, false), Status::fails);
  EXPECT_EQ(group_copy(true, true, false), Status::fails);  // threads disagree about the source
}

TEST(AccessSets, an_invariant_can_speak_of_them) {
  const auto accessed = [](Draft& d, ValueId array, AccessKind kind) {
    return d.put(Compute{.op = Op::accessed, .operands = {array}, .imm = static_cast<uint64_t>(kind)}, k_bit);
  };
  for (const bool right : {true, false}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A");
    d.header_notes = [&](ValueId) {
      const ValueId none = d.put(
          Compute{.op = Op::not_, .operands = {accessed(d, a, right ? AccessKind::read : AccessKind::write)}}, k_bit);
      d.note(Note::invariant, none);
    };
    d.count(d.global_id(), d.constant(4096), 256, [&](ValueId i) { d.store(a, i, i); });
    EXPECT_EQ(d.verdict(), right ? Status::holds : Status::fails);
  }
}

TEST(BarrierInvariants, are_shown_for_oneself_and_assumed_of_the_named) {
  for (const uint64_t value : {7, 8}) {
    Draft d;
    const ValueId s = d.group_array("s", 256), tid = d.lid();
    d.store(s, tid, d.constant(value));
    const auto cell = [&](ValueId index) {
      return d.put(
          Load{{.pointer = d.element(s, index), .bytes = 4, .regions = d.regions(s), .site = d.m.sites++}, true},
          k_int);
    };
    d.put(BarrierInvariant{.condition = d.op(Op::eq, cell(tid), d.constant(7)),
                           .instances = {d.op(Op::sub, d.constant(63), tid)}});
    d.barrier();
    d.note(Note::assert_, d.op(Op::eq, cell(d.op(Op::sub, d.constant(63), tid)), d.constant(7)));
    EXPECT_EQ(d.verdict(), value == 7 ? Status::holds : Status::fails);
    if (value == 8) {
      EXPECT_EQ(d.last.findings.front().kind, Kind::barrier_invariant);
    }
  }
}

TEST(Calls, are_inlined_with_their_contracts) {
  for (const uint64_t argument : {5, 0}) {
    Draft d;
    const ValueId x = d.constant(argument);
    d.put(Call{.callee = {1}, .arguments = {x}}, k_int);
    Function g;
    g.name = g.symbol = "positive";
    g.body = true;
    g.parameters.push_back({"x", k_int, 0, {}});
    g.results = {k_int};
    g.values = {{.kind = Value::parameter, .type = k_int, .index = 0},
                {.kind = Value::constant, .type = k_int, .constant_bits = 0},
                {.kind = Value::result, .type = k_bit}};
    g.blocks.push_back({{{{{2}}, Compute{.op = Op::ne, .operands = {{0}, {1}}}, {}},
                         {{}, Annotation{Note::requires_, {2}}, d.place()}},
                        Return{{{0}}},
                        {}});
    d.m.functions = {d.f, g};
    d.options.launch.local_size[0] = 4;
    const Result r = prove(d.m, {0}, d.options, Job{});
    EXPECT_EQ(r.verdict.status, argument != 0 ? Status::holds : Status::fails);
    if (argument == 0) {
      EXPECT_EQ(r.findings.front().kind, Kind::precondition);
    }
  }
}

}  // namespace
}  // namespace fencepost::prove
