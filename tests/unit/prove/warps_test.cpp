// Warps: lock-step by both methods, warp barriers, what a proof rests on.
#include "draft.h"

namespace fencepost::prove {
namespace {

// s[lid] = lid; what `between` does; out[...] = s[lid ^ distance]
template <class Between>
Status exchange(Draft& d, uint64_t distance, Between between) {
  const ValueId s = d.group_array("s", 256), out = d.pointer_parameter("out"), tid = d.lid();
  d.store(s, tid, tid);
  between(tid);
  d.store(out, d.global_id(), d.load(s, d.op(Op::xor_, tid, d.constant(distance))));
  return d.verdict();
}

void warp_barrier(Draft& d, std::optional<uint64_t> mask = {}) {
  const ValueId on = d.constant(1, k_bit);
  Barrier b{.scope = Scope::warp, .local_fence = on, .global_fence = on};
  if (mask) b.mask = d.constant(*mask);
  d.put(std::move(b));
}

TEST(WarpMethods, agree_and_name_what_rests_on_lock_step) {
  for (const WarpMethod method : {WarpMethod::automatic, WarpMethod::resync, WarpMethod::two_pass, WarpMethod::both})
    for (const uint64_t distance : {0, 1, 32}) {
      Draft d;
      d.options.warp_sync = d.options.warp_size = 32;
      d.options.warp_method = method;
      EXPECT_EQ(exchange(d, distance, [](ValueId) {}), distance < 32 ? Status::holds : Status::fails);
      if (distance < 32) {
        EXPECT_EQ(d.last.warps.size(), distance);
      }
    }
}

TEST(WarpMethods, a_launch_of_one_warp_has_no_other) {
  Draft d;
  d.options.warp_sync = d.options.warp_size = 64;
  d.options.warp_method = WarpMethod::two_pass;
  EXPECT_EQ(exchange(d, 32, [](ValueId) {}), Status::holds);
}

// The test of the second branch, which both execute, stands between them; two sides of one branch: precision_test.cpp.
TEST(WarpMethods, branches_of_one_warp_are_ordered_by_what_stands_between) {
  for (const WarpMethod method : {WarpMethod::resync, WarpMethod::two_pass}) {
    Draft d;
    d.options.warp_sync = d.options.warp_size = 32;
    d.options.warp_method = method;
    const ValueId s = d.group_array("s", 256), tid = d.lid(), odd = d.op(Op::and_, tid, d.constant(1));
    const ValueId pair = d.op(Op::lshr, tid, d.constant(1));
    d.when(d.op(Op::eq, odd, d.constant(0)), [&] { d.store(s, pair, d.constant(1)); });
    d.when(d.op(Op::eq, odd, d.constant(1)), [&] { d.store(s, pair, d.constant(2)); });
    EXPECT_EQ(d.verdict(), Status::holds);
    d.options.warp_sync = 0;
    EXPECT_EQ(d.verdict(), Status::fails);
  }
}

TEST(WarpMethods, the_parts_of_one_access_are_one_instruction) {
  Draft d;
  d.options.warp_sync = d.options.warp_size = 32;
  const ValueId s = d.group_array("s", 1024), tid = d.lid();
  const uint32_t site = d.m.sites++;
  for (uint32_t part = 0; part < 2; ++part)
    d.put(Store{{.pointer = d.element(s, d.op(Op::add, tid, d.constant(part))),
                 .bytes = 4,
                 .regions = d.regions(s),
                 .site = site,
                 .part = part},
                tid});
  EXPECT_EQ(d.verdict(), Status::fails);
}

TEST(WarpBarriers, order_the_warp_without_lock_step) {
  for (const uint64_t distance : {1, 32})
    for (const bool barrier : {true, false})
      for (const bool known : {true, false}) {
        Draft d;
        d.options.warp_barriers = known;
        const Status s = exchange(d, distance, [&](ValueId) {
          if (barrier) warp_barrier(d);
        });
        EXPECT_EQ(s, distance == 1 && barrier && known ? Status::holds : Status::fails);
        EXPECT_TRUE(d.last.warps.empty());
      }
}

TEST(WarpBarriers, a_mask_names_who_meets) {
  for (const uint64_t mask : {0xffffffffu, 0x0000ffffu, 0xffff0000u}) {
    Draft d;
    d.options.warp_barriers = true;
    const Status s = exchange(d, 1, [&](ValueId tid) {
      const ValueId lane = d.op(Op::urem, tid, d.constant(32));
      const ValueId bit = d.op(Op::and_, d.op(Op::lshr, d.constant(mask), lane), d.constant(1));
      d.when(d.op(Op::eq, bit, d.constant(1)), [&] { warp_barrier(d, mask); });
    });
    EXPECT_EQ(s, mask == 0xffffffff ? Status::holds : Status::fails) << mask;
  }
  Draft d;
  d.options.warp_barriers = true;
  warp_barrier(d, 0xfffffffe);  // lane 0 waits at a barrier that does not name it
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings[0].kind, Kind::barrier_divergence);
}

TEST(WarpBarriers, must_be_reached_by_all_that_they_name) {
  Draft d;
  d.options.warp_barriers = true;
  d.when(d.op(Op::ult, d.lid(), d.constant(16)), [&] { warp_barrier(d); });
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings[0].kind, Kind::barrier_divergence);
  Draft whole;  // by warps as wholes they may
  whole.options.warp_barriers = true;
  whole.when(whole.op(Op::ult, whole.lid(), whole.constant(32)), [&] { warp_barrier(whole); });
  EXPECT_EQ(whole.verdict(), Status::holds);
}

TEST(WarpBarriers, order_the_iterations_of_a_loop) {
  for (const bool barrier : {true, false}) {
    Draft d;
    d.options.warp_barriers = true;
    const ValueId s = d.group_array("s", 256), tid = d.lid();
    const ValueId lane = d.op(Op::urem, tid, d.constant(32)), warp = d.op(Op::and_, tid, d.constant(0xffffffe0));
    // s[lane of the warp, moved on by i] += 1
    d.count(d.constant(0), d.constant(32), 1, [&](ValueId i) {
      const ValueId at = d.op(Op::or_, warp, d.op(Op::urem, d.op(Op::add, lane, i), d.constant(32)));
      d.store(s, at, d.op(Op::add, d.load(s, at), d.constant(1)));
      if (barrier) warp_barrier(d);
    });
    EXPECT_EQ(d.verdict(), barrier ? Status::holds : Status::fails);
  }
}

TEST(WarpBarriers, contents_change_at_them) {
  Draft d;
  d.options.warp_barriers = true;
  const ValueId s = d.group_array("s", 256), tid = d.lid(), other = d.op(Op::xor_, tid, d.constant(1));
  const ValueId before = d.load(s, other);
  warp_barrier(d);
  d.store(s, tid, d.constant(7));
  warp_barrier(d);
  d.note(Note::assert_, d.op(Op::eq, before, d.load(s, other)));
  ASSERT_EQ(d.verdict(), Status::fails);
  EXPECT_EQ(d.last.findings[0].kind, Kind::assertion);
}

TEST(WarpDivergence, is_reported_where_asked) {
  for (const uint64_t from : {16, 32}) {
    Draft d;
    d.options.warp_sync = d.options.warp_size = 32;
    d.options.warp_divergence = true;
    const ValueId out = d.pointer_parameter("out"), i = d.global_id();
    d.when(d.op(Op::ult, d.lid(), d.constant(from)), [&] { d.store(out, i, i); });
    EXPECT_EQ(d.verdict(), from == 32 ? Status::holds : Status::fails);
    if (from == 16) {
      EXPECT_EQ(d.last.findings[0].kind, Kind::warp_divergence);
    }
  }
}

}  // namespace
}  // namespace fencepost::prove
