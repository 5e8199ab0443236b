// Pairs that every consistent execution has, read off constraints `empty r \ s` (bounds/forbidden.h).
#include <gtest/gtest.h>

#include <set>

#include "bounds/bounds.h"
#include "bounds/forbidden.h"
#include "cat/model.h"

namespace fencepost::bounds {
namespace {

using vocab::Base;

// Three events of two threads on one location; co may have the pairs that are given.
std::set<std::pair<uint32_t, uint32_t>> required_of_co(const std::string& axioms,
                                                       const std::vector<std::pair<uint32_t, uint32_t>>& co) {
  auto m = cat::load_text(make_source("model.cat", "\"Model\"\n(* dialect: ptx *)\n" + axioms), {});
  EXPECT_TRUE(m);
  BaseBounds base;
  base.n = 3;
  base.live = base.always = BitSet(3, true);
  base.compatible = Relation(3, true);
  base.implied_by.assign(3, BitSet(3, true));
  base.tags.assign(vocab::k_tags, BitSet(3));
  for (size_t b = 0; b < vocab::k_bases; ++b) base.may[b] = base.must[b] = Relation(3);
  const auto at = [](Base b) { return static_cast<size_t>(b); };
  base.may[at(Base::loc)] = base.must[at(Base::loc)] = Relation(3, true);
  for (const auto& [i, j] : {std::pair{0u, 1u}, {1u, 0u}, {0u, 2u}, {2u, 0u}}) {
    base.may[at(Base::ext)].set(i, j);
    base.must[at(Base::ext)].set(i, j);
  }
  for (const auto& [i, j] : co) base.may[at(Base::co)].set(i, j);
  std::set<std::pair<uint32_t, uint32_t>> out;
  for (const ForbiddenPair& p : required(*m, base, compute(*m, base))) {
    EXPECT_EQ(p.base, Base::co);
    out.insert({p.from, p.to});
  }
  return out;
}

TEST(Required, AnOrderThatIsToldAndCannotBeTheOtherWayRound) {
  const std::string total = "empty (loc & ext) \\ (co | co^-1) as total\n";
  using Pairs = std::set<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(required_of_co(total, {{0, 1}, {0, 2}, {2, 0}}), (Pairs{{0, 1}}));
  EXPECT_EQ(required_of_co(total, {{0, 1}, {1, 0}, {0, 2}, {2, 0}}), Pairs{});
  EXPECT_EQ(required_of_co("empty (loc & ext) \\ co as all\n", {{0, 1}, {1, 0}, {0, 2}, {2, 0}}),
            (Pairs{{0, 1}, {1, 0}, {0, 2}, {2, 0}}));
  EXPECT_EQ(required_of_co("flag ~empty (loc & ext) \\ co as all\n", {{0, 1}}), Pairs{});
  EXPECT_EQ(required_of_co("~empty (loc & ext) \\ co as all\n", {{0, 1}}), Pairs{});
  EXPECT_EQ(required_of_co("acyclic (loc & ext) \\ co as all\n", {{0, 1}}), Pairs{});
}

}  // namespace
}  // namespace fencepost::bounds
