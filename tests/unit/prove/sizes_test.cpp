// Launches of any size: what digits of positions show, each beside a near miss, and the launch of few threads that a
// refutation comes with.
#include "draft.h"
#include "prove/products.h"

namespace fencepost::prove {
namespace {

// All sizes of so many dimensions are open.
void open(Draft& d, size_t dimensions) {
  for (size_t k = 1; k < dimensions; ++k) d.options.launch.local_size[k] = d.options.launch.num_groups[k] = 0;
}
ValueId global(Draft& d, uint8_t k) {
  return d.op(Op::add, d.op(Op::mul, d.id(IdKind::group_id, k), d.id(IdKind::local_size, k)), d.id(IdKind::local_id, k));
}
ValueId range(Draft& d, uint8_t k) { return d.op(Op::mul, d.id(IdKind::num_groups, k), d.id(IdKind::local_size, k)); }

TEST(AnySize, rows_of_the_grid) {
  for (const uint8_t width : {0, 1}) {
    Draft d;
    open(d, 3);
    const ValueId a = d.pointer_parameter("A");
    const ValueId row = d.op(Op::add, d.op(Op::mul, global(d, 2), range(d, 1)), global(d, 1));
    d.store(a, d.op(Op::add, d.op(Op::mul, row, range(d, width)), global(d, 0)), d.lid());
    ASSERT_EQ(d.verdict(0, 0), width == 0 ? Status::holds : Status::fails);
    if (width == 0) {
      EXPECT_EQ(d.last.assumptions.count("a launch has fewer than 2^30 threads, fewer than 2^16 in a group"), 1u);
      EXPECT_EQ(d.last.effort.solved, 0u);
      continue;
    }
    const Finding& f = d.last.findings.front();
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_LE(f.local_size[k], 4u);
      for (const Side& s : f.threads) {
        EXPECT_LT(s.local_id[k], f.local_size[k]);
        EXPECT_LT(s.group_id[k], f.num_groups[k]);
      }
    }
  }
}

TEST(AnySize, strides) {
  for (const bool grid : {true, false}) {
    Draft d;
    const ValueId n = d.scalar_parameter("n"), a = d.pointer_parameter("A");
    const ValueId step = grid ? range(d, 0) : d.id(IdKind::local_size);
    d.loop(d.global_id(), Op::slt, n, [&](ValueId i) { return d.op(Op::add, i, step, true); },
           [&](ValueId i) { d.store(a, i, d.gid()); });
    EXPECT_EQ(d.verdict(0, 0), grid ? Status::holds : Status::fails);
  }
  // Rows of a group, as many as there are.
  for (const IdKind by : {IdKind::local_size, IdKind::num_groups}) {
    Draft d;
    const ValueId s = d.group_array("s", 1 << 16);
    d.count(d.constant(0), d.constant(10), 1,
            [&](ValueId i) { d.store(s, d.op(Op::add, d.op(Op::mul, i, d.id(by)), d.lid()), d.lid()); });
    EXPECT_EQ(d.verdict(0, 0), by == IdKind::local_size ? Status::holds : Status::fails);
  }
}

TEST(AnySize, quotients_and_remainders) {
  for (const Op op : {Op::udiv, Op::urem}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A");
    const ValueId is = d.op(op, d.global_id(), d.id(IdKind::local_size));
    d.note(Note::assert_, d.op(Op::eq, is, op == Op::udiv ? d.gid() : d.lid()));
    d.store(a, d.op(Op::add, d.op(Op::mul, d.gid(), d.id(IdKind::local_size)), d.op(Op::urem, d.global_id(), d.id(IdKind::local_size))),
            d.lid());
    EXPECT_EQ(d.verdict(0, 0), Status::holds);
  }
  Draft d;
  d.note(Note::assert_, d.op(Op::eq, d.op(Op::urem, d.global_id(), d.id(IdKind::num_groups)), d.lid()));
  EXPECT_EQ(d.verdict(0, 0), Status::fails);
}

// The neighbour's element, by all threads of a group but the last: no other group's.
TEST(AnySize, neighbours_in_a_group) {
  for (const bool last : {false, true}) {
    Draft d;
    const ValueId a = d.pointer_parameter("A");
    const ValueId next = d.op(Op::add, d.global_id(), d.constant(1)), lid = d.lid();
    const ValueId most = d.op(Op::sub, d.id(IdKind::local_size), d.constant(last ? 0 : 1));
    d.store(a, d.global_id(), lid);
    d.barrier();
    d.when(d.op(Op::ult, lid, most), [&] { d.load(a, next); });
    EXPECT_EQ(d.verdict(0, 0), last ? Status::fails : Status::holds);
  }
}

// A race that only large groups have, with such a group.
TEST(AnySize, from_257_work_items_on) {
  Draft d;
  const ValueId s = d.group_array("s", 1 << 20);
  d.count(d.constant(0), d.constant(1024), 1,
          [&](ValueId i) { d.store(s, d.op(Op::add, d.op(Op::mul, i, d.constant(256), true), d.lid(), true), d.lid()); });
  ASSERT_EQ(d.verdict(0, 0), Status::fails);
  EXPECT_GT(d.last.findings.front().local_size[0], 256u);
  EXPECT_LE(d.last.findings.front().local_size[0], 2048u);
}

TEST(AnySize, rewriting) {
  Pool p;
  Products products(p);
  std::vector<Term> facts;
  products.launch({0, 0, 1, 0, 1, 1}, [&](Term t) { facts.push_back(t); });
  std::array<Term, 2> lid, row, gid;
  const Term width = products.size(0, "w"), height = products.size(1, "h"), groups = products.size(3, "n");
  for (int t = 0; t < 2; ++t) {
    const auto i = static_cast<size_t>(t);
    lid[i] = products.id(0, t, "x" + std::to_string(t));
    row[i] = products.id(1, t, "y" + std::to_string(t));
    gid[i] = products.id(3, t, "g" + std::to_string(t));
  }
  EXPECT_EQ(facts.size(), 9u);
  const Term area = p.mul(width, height);
  std::array<Term, 2> place;
  for (size_t t = 0; t < 2; ++t) place[t] = p.add(p.mul(gid[t], area), p.add(p.mul(row[t], width), lid[t]));
  EXPECT_EQ(p.eq(place[0], place[1]), p.all({p.eq(lid[0], lid[1]), p.eq(row[0], row[1]), p.eq(gid[0], gid[1])}));
  EXPECT_EQ(p.ult(place[0], p.mul(groups, area)), p.yes());
  EXPECT_EQ(p.udiv(place[0], area), gid[0]);
  EXPECT_EQ(p.urem(place[0], area), p.add(p.mul(row[0], width), lid[0]));
  EXPECT_EQ(p.urem(place[0], width), lid[0]);
  EXPECT_EQ(p.udiv(p.urem(place[0], area), width), row[0]);
  // Not below each other's unit.
  EXPECT_FALSE(p.is_true(p.ult(place[0], area)));
  EXPECT_FALSE(p.is_constant(p.eq(p.add(gid[0], lid[0]), p.add(gid[1], lid[1]))));
  EXPECT_NE(p.udiv(place[0], height), row[0]);
  EXPECT_TRUE(products.positive(width));
  EXPECT_FALSE(products.positive(lid[0]));
}

}  // namespace
}  // namespace fencepost::prove
