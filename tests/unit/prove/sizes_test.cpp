// Launches of any size: what digits of positions show, each beside a near miss, and the launch of few threads that a
// refutation comes with.
#include <cstdlib>

#include "base/job.h"
#include "draft.h"
#include "formula/solve.h"
#include "prove/products.h"

namespace fencepost::prove {
namespace {

// All sizes of so many dimensions are open.
void open(Draft& d, size_t dimensions) {
  for (size_t k = 1; k < dimensions; ++k) d.options.launch.local_size[k] = d.options.launch.num_groups[k] = 0;
}
ValueId global(Draft& d, uint8_t k) {
  return d.op(Op::add, d.op(Op::mul, d.id(IdKind::group_id, k), d.id(IdKind::local_size, k)),
              d.id(IdKind::local_id, k));
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
      EXPECT_EQ(
          d.last.assumptions.count(std::string("a launch has fewer than 2^30 threads, fewer than 2^16 in a group")),
          1u);
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
    d.loop(
        d.global_id(), Op::slt, n, [&](ValueId i) { return d.op(Op::add, i, step, true); },
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
    d.store(a,
            d.op(Op::add, d.op(Op::mul, d.gid(), d.id(IdKind::local_size)),
                 d.op(Op::urem, d.global_id(), d.id(IdKind::local_size))),
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
  d.count(d.constant(0), d.constant(1024), 1, [&](ValueId i) {
    d.store(s, d.op(Op::add, d.op(Op::mul, i, d.constant(256), true), d.lid(), true), d.lid());
  });
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

// Random expressions of ids and sizes, rewritten, have the values that arithmetic gives them.
TEST(AnySize, rewriting_keeps_values) {
  // FENCEPOST_FUZZ_KERNELS: how many rounds.
  const char* asked = std::getenv("FENCEPOST_FUZZ_KERNELS");
  const int rounds = asked == nullptr ? 300 : std::atoi(asked);
  Rng rng(static_cast<uint64_t>(rounds));
  uint64_t constants = 0, rewritten = 0;
  for (int round = 0; round < rounds; ++round) {
    Pool p;
    Products products(p);
    Products::Sizes sizes{};
    std::array<uint64_t, Products::k_axes> fixed{};
    for (size_t a = 0; a < Products::k_axes; ++a) {
      sizes[a] = static_cast<uint32_t>(1 + rng.below(5));
      fixed[a] = rng.chance(0.4) ? sizes[a] : 0;
    }
    products.launch(fixed, [](Term) {});
    struct Number {
      Term term;
      uint32_t value;
    };
    std::vector<Number> all, units;
    std::vector<std::pair<Term, uint64_t>> ids;
    for (size_t a = 0; a < Products::k_axes; ++a) {
      units.push_back({products.size(a, "s" + std::to_string(a)), sizes[a]});
      for (int t = 0; t < 2; ++t) {
        const uint64_t v = rng.below(sizes[a]);
        ids.emplace_back(products.id(a, t, "i" + std::to_string(a) + std::to_string(t)), v);
        all.push_back({ids.back().first, static_cast<uint32_t>(v)});
      }
    }
    const Term counter = p.variable(32, "k");
    const uint32_t count = static_cast<uint32_t>(rng.below(6));
    all.push_back({counter, count});
    for (int n = 0; n < 4; ++n) {
      const Number &x = units[rng.below(units.size())], &y = units[rng.below(units.size())];
      units.push_back({p.mul(x.term, y.term), x.value * y.value});
    }
    std::vector<Number> truths;
    for (int n = 0; n < 60; ++n) {
      const Number x = all[rng.below(all.size())], y = all[rng.below(all.size())], u = units[rng.below(units.size())];
      switch (rng.below(7)) {
        case 0:
          all.push_back({p.add(x.term, y.term), x.value + y.value});
          break;
        case 1:
          all.push_back({p.add(p.mul(x.term, u.term), y.term), x.value * u.value + y.value});
          break;
        case 2:
          all.push_back({p.mul(x.term, u.term), x.value * u.value});
          break;
        case 3:
          all.push_back({p.udiv(x.term, u.term), u.value == 0 ? ~0u : x.value / u.value});
          break;
        case 4:
          all.push_back({p.urem(x.term, u.term), u.value == 0 ? x.value : x.value % u.value});
          break;
        case 5:
          truths.push_back({p.eq(x.term, y.term), x.value == y.value ? 1u : 0u});
          break;
        default:
          truths.push_back({p.ult(x.term, rng.chance(0.5) ? u.term : y.term), 0});
          truths.back() = {p.ult(x.term, u.term), x.value < u.value ? 1u : 0u};
      }
    }
    // Sizes as they are; then each id is a variable of its own.
    auto& memo = products.small(sizes, true);
    formula::Model model;
    model.variables[p[counter].value] = count;
    for (const auto& [t, v] : ids) {
      Term is = p.substitute(t, memo);
      while (p[is].op == formula::Op::zext) is = p[is].kids[0];
      if (p[is].op == formula::Op::variable) model.variables[p[is].value] = v;
    }
    all.insert(all.end(), truths.begin(), truths.end());
    for (const Number& n : all) {
      constants += p.is_constant(n.term) ? 1 : 0;
      ++rewritten;
      ASSERT_EQ(model.value(p, p.substitute(n.term, memo)), n.value) << "round " << round << ": " << p.print(n.term);
    }
  }
  EXPECT_GT(constants, rewritten / 100);
}

}  // namespace
}  // namespace fencepost::prove
