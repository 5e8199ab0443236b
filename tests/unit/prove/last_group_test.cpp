// The group that takes the last ticket reads what the others have left: what the pattern needs, each part of it taken
// away, and every verdict held against runs.
#include "draft.h"
#include "interp/interp.h"

namespace fencepost::prove {
namespace {

struct Shape {
  Dialect dialect = Dialect::cuda;
  bool all_write = false;  // each thread leaves a part of its own; else the first one does
  enum Where : uint8_t { none, before_barrier, behind_barrier } fence = behind_barrier;
  bool barrier_before = true;  // between the parts and the ticket
  bool barrier_behind = true;  // between the ticket and the reads
  bool fence_behind = true;
  Order fence_order = Order::seq_cst, ticket_order = Order::relaxed;
  Scope fence_scope = Scope::device, ticket_scope = Scope::device;
  AtomicOp op = AtomicOp::increment_to;
  uint64_t from_last = 1;  // compared with the number of groups less this
  bool all_take = false, twice = false, in_loop = false, reset = false, early_reset = false, others_read = false,
       all_read = true;
  bool global_flags = true;
};

constexpr uint64_t k_local = 4, k_groups = 3;

void build(Draft& d, const Shape& s) {
  d.m.dialect = s.dialect;
  const ValueId part = d.pointer_parameter("part"), out = d.pointer_parameter("out"),
                count = d.pointer_parameter("count"), flag = d.group_array("flag", 4), zero = d.constant(0),
                lid = d.lid(), gid = d.gid(), first = d.op(Op::eq, lid, zero), groups = d.id(IdKind::num_groups),
                mine = d.op(Op::add, d.op(Op::mul, gid, d.constant(k_local)), lid);
  const auto fence = [&] { d.put(Fence{.order = s.fence_order, .scope = s.fence_scope}); };
  if (s.early_reset) d.when(first, [&] { d.store(count, zero, zero); });
  if (s.all_write)
    d.store(part, mine, lid);
  else
    d.when(first, [&] { d.store(part, mine, lid); });
  if (s.fence == Shape::before_barrier) fence();
  if (s.barrier_before) d.barrier(true, s.global_flags);
  const auto ticket = [&] {
    std::vector<ValueId> operands;
    if (s.op == AtomicOp::increment_to) operands = {d.op(Op::sub, groups, d.constant(1))};
    if (s.op == AtomicOp::add) operands = {d.constant(1)};
    return d.put(
        Atomic{
            .op = s.op,
            .access = {.pointer = d.element(count, zero), .bytes = 4, .regions = d.regions(count), .site = d.m.sites++},
            .operands = operands,
            .order = s.ticket_order,
            .failure = s.ticket_order,
            .scope = s.ticket_scope},
        k_int);
  };
  const auto take = [&] {
    if (s.fence == Shape::behind_barrier) fence();
    if (s.twice) ticket();
    const auto one = [&] {
      const ValueId got = ticket();
      const ValueId last = d.op(Op::eq, got, d.op(Op::sub, groups, d.constant(s.from_last)));
      if (s.fence_behind) fence();
      d.store(flag, zero, d.put(Compute{.op = Op::zext, .operands = {last}}, k_int));
    };
    if (s.in_loop)
      d.count(zero, d.constant(1), 1, [&](ValueId) { one(); });
    else
      one();
  };
  if (s.all_take)
    take();
  else
    d.when(first, take);
  if (s.barrier_behind) d.barrier(true, s.global_flags);
  const auto read = [&] {
    const ValueId from = d.op(Op::urem, d.op(Op::add, mine, d.constant(k_local)), d.constant(k_local * k_groups));
    const ValueId at = s.all_write ? from : d.op(Op::sub, from, d.op(Op::urem, from, d.constant(k_local)));
    d.store(out, mine, d.load(part, at));
    if (s.reset) d.when(d.op(Op::eq, lid, zero), [&] { d.store(count, zero, zero); });
  };
  const auto body = [&] {
    if (s.all_read)
      read();
    else
      d.when(d.op(Op::eq, lid, zero), read);
  };
  if (s.others_read)
    body();
  else
    d.when(d.op(Op::ne, d.load(flag, zero), zero), body);
}

struct Told {
  Status status;
  bool as_in_the_guide = false, goes_wrong = false;
};

Told tell(const Shape& s) {
  Draft d;
  build(d, s);
  Told t;
  t.status = d.verdict(k_local, k_groups);
  for (const Assumption& a : d.last.assumptions) t.as_in_the_guide |= a.kind == Assumption::as_in_guide;
  interp::Shape shape;
  shape.local_size[0] = k_local;
  shape.num_groups[0] = k_groups;
  shape.barriers_acquire = t.as_in_the_guide;
  for (uint64_t seed = 1; seed <= 60 && !t.goes_wrong; ++seed) {
    interp::Inputs inputs{.seed = seed};
    inputs.contents[2] = std::vector<uint8_t>(4, 0);
    const interp::Outcome o = interp::run(d.m, {0}, shape, inputs);
    EXPECT_EQ(o.status, interp::Outcome::ended) << o.detail;
    t.goes_wrong = o.first_defect(false) != nullptr;
  }
  return t;
}

void holds(const Shape& s, bool as_in_the_guide = false) {
  const Told t = tell(s);
  EXPECT_EQ(t.status, Status::holds);
  EXPECT_EQ(t.as_in_the_guide, as_in_the_guide);
  EXPECT_FALSE(t.goes_wrong);
}
// `stricter`: refuted although runs show nothing.
void fails(const Shape& s, bool stricter = false) {
  const Told t = tell(s);
  EXPECT_EQ(t.status, Status::fails);
  EXPECT_EQ(t.goes_wrong, !stricter);
}

TEST(LastGroup, reads_what_the_others_left) {
  for (const bool all : {false, true}) {
    SCOPED_TRACE(all);
    holds({.all_write = all});
    holds({.all_write = all, .op = AtomicOp::add});
    holds({.all_write = all, .op = AtomicOp::increment});
    holds({.all_write = all, .reset = true});
    holds({.all_write = all, .all_read = false});
    holds({.all_write = all, .fence = Shape::none, .fence_behind = false, .ticket_order = Order::acq_rel});
    holds({.dialect = Dialect::opencl, .all_write = all, .fence_order = Order::acq_rel, .op = AtomicOp::increment});
    holds({.dialect = Dialect::opencl,
           .all_write = all,
           .fence = Shape::none,
           .fence_behind = false,
           .ticket_order = Order::acq_rel,
           .op = AtomicOp::add});
  }
  holds({.barrier_before = false});  // the first thread's own store
  // CUDA's fences on the other side of the barrier.
  holds({.all_write = true, .fence = Shape::before_barrier});
}

TEST(LastGroup, as_in_the_guide_of_cuda) {
  holds({.barrier_before = false, .fence_behind = false}, true);
  holds({.all_write = true, .fence = Shape::before_barrier, .fence_behind = false}, true);
  holds({.barrier_before = false, .fence_behind = false, .reset = true}, true);
}

TEST(LastGroup, each_part_is_needed) {
  for (const bool all : {false, true}) {
    SCOPED_TRACE(all);
    fails({.all_write = all, .fence = Shape::none});
    fails({.all_write = all, .barrier_behind = false});
    fails({.all_write = all, .from_last = 2});
    fails({.all_write = all, .all_take = true});
    fails({.all_write = all, .others_read = true});
    fails({.all_write = all, .fence_scope = Scope::group});
    fails({.all_write = all, .ticket_scope = Scope::group});
    fails({.all_write = all, .early_reset = true});
    fails({.all_write = all, .twice = true});
    fails({.all_write = all, .fence = Shape::none, .fence_behind = false, .ticket_order = Order::acquire});
    fails({.dialect = Dialect::opencl,
           .all_write = all,
           .fence_behind = false,
           .fence_order = Order::acq_rel,
           .op = AtomicOp::add});
    fails({.dialect = Dialect::opencl,
           .all_write = all,
           .fence = Shape::none,
           .fence_behind = false,
           .ticket_order = Order::release,
           .op = AtomicOp::add});
    fails({.dialect = Dialect::opencl,
           .all_write = all,
           .fence = Shape::none,
           .fence_behind = false,
           .ticket_order = Order::acq_rel,
           .ticket_scope = Scope::group,
           .op = AtomicOp::add});
    fails({.dialect = Dialect::opencl,
           .all_write = all,
           .fence_order = Order::acq_rel,
           .op = AtomicOp::add,
           .global_flags = false});
  }
  fails({.all_write = true, .barrier_before = false});
  // OpenCL's fences order what their own thread does.
  fails({.dialect = Dialect::opencl,
         .all_write = true,
         .fence = Shape::before_barrier,
         .fence_order = Order::acq_rel,
         .op = AtomicOp::add});
  fails({.in_loop = true}, true);  // once, but in a loop: not seen
}

// Without the rule nothing orders groups.
TEST(LastGroup, is_left_out_where_atomics_are_coarse) {
  Draft d;
  build(d, {});
  d.options.refined_atomics = false;
  EXPECT_EQ(d.verdict(k_local, k_groups), Status::fails);
}

TEST(LastGroup, with_any_number_of_groups) {
  Draft d;
  build(d, {});
  EXPECT_EQ(d.verdict(k_local, 0), Status::holds);
  Draft wrong;
  build(wrong, {.from_last = 2});
  EXPECT_EQ(wrong.verdict(k_local, 0), Status::fails);
}

}  // namespace
}  // namespace fencepost::prove
