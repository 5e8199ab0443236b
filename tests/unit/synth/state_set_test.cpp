// Sets of states of every width, and graphs of one program at every width.
#include "synth/state_set.h"

#include <gtest/gtest.h>

#include <set>

#include "base/job.h"
#include "synth/graph.h"

namespace fencepost::synth {
namespace {

template <class T>
class StateSets : public testing::Test {};
using Widths = testing::Types<StateSet<1>, StateSet<2>, StateSet<4>, StateSet<8>, StateSet<16>, StateSet<64>>;
TYPED_TEST_SUITE(StateSets, Widths);

TYPED_TEST(StateSets, AreSetsOfNumbers) {
  using S = TypeParam;
  Rng rng(5);
  const uint32_t n = S::k_capacity;
  const auto draw = [&](S& s, std::set<uint32_t>& m) {
    for (uint64_t k = rng.below(n); k-- > 0;) {
      const auto x = static_cast<uint32_t>(rng.below(n));
      s.add(x);
      m.insert(x);
    }
  };
  const auto made = [](const std::set<uint32_t>& m) {
    S s;
    for (const uint32_t x : m) s.add(x);
    return s;
  };
  for (int round = 0; round < 40; ++round) {
    S a, b;
    std::set<uint32_t> ma, mb, both, either, moved;
    draw(a, ma);
    draw(b, mb);
    const auto by = static_cast<int32_t>(rng.below(2 * n - 1)) - static_cast<int32_t>(n - 1);
    bool within = true;
    for (const uint32_t x : ma) {
      either.insert(x);
      if (mb.contains(x)) both.insert(x);
      within = within && mb.contains(x);
      const int64_t to = int64_t{x} + by;
      if (to >= 0 && to < n) moved.insert(static_cast<uint32_t>(to));
    }
    either.insert(mb.begin(), mb.end());
    EXPECT_EQ(a.count(), ma.size());
    EXPECT_EQ(a.any(), !ma.empty());
    EXPECT_EQ(a.meets(b), !both.empty());
    EXPECT_EQ(a.within(b), within);
    EXPECT_EQ(a & b, made(both));
    EXPECT_EQ(a | b, made(either));
    EXPECT_EQ(a.moved(by), made(moved)) << by;
    EXPECT_EQ((~a).count(), n - ma.size());
    EXPECT_FALSE((~a).meets(a));
  }
}

template <uint32_t W>
std::pair<bool, oracle::Size> judged(const Program& p, const GraphRules& rules) {
  Graph<W> g({2, 1}, 2, 2, rules);
  std::vector<Compiled<W>> code(2);
  for (uint32_t t = 0; t < 2; ++t) {
    g.layout().compile(t, p[t], rules, code[t]);
    g.set(t, code[t]);
  }
  const bool accepted = g.accepted();
  return {accepted, g.size()};
}

TEST(Graph, IsTheSameAtEveryWidth) {
  Rng rng(11);
  const auto first = alphabet(2, 0, 2, 2, Constraints::all()), second = alphabet(2, 1, 2, 2, Constraints::all()),
             other = alphabet(1, 0, 2, 2, Constraints::all());
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    Program p(2);
    p[0].length = 2;
    p[0].ins[0] = first[rng.below(first.size())];
    p[0].ins[1] = second[rng.below(second.size())];
    p[1].length = 1;
    p[1].ins[0] = other[rng.below(other.size())];
    const GraphRules rules{rng.chance(0.5), rng.chance(0.5), rng.chance(0.5), rng.chance(0.5)};
    const auto one = judged<1>(p, rules);
    accepted += one.first ? 1 : 0;
    EXPECT_EQ(one, judged<2>(p, rules));
    EXPECT_EQ(one, judged<8>(p, rules));
    EXPECT_EQ(one, judged<64>(p, rules));
    EXPECT_EQ(one.second, oracle::size_of(to_test(p, 2)));
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 2900);
}

}  // namespace
}  // namespace fencepost::synth
