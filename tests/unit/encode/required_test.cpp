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

// Which rules have handed something down is told, and no other.
TEST(Forbidden, TellsTheRulesThatFired) {
  const auto fired = [](const std::string& axioms) {
    auto m = cat::load_text(make_source("model.cat", "\"Model\"\n(* dialect: ptx *)\n" + axioms), {});
    EXPECT_TRUE(m);
    BaseBounds base;
    base.n = 2;
    base.live = base.always = BitSet(2, true);
    base.compatible = Relation(2, true);
    base.implied_by.assign(2, BitSet(2, true));
    base.tags.assign(vocab::k_tags, BitSet(2));
    for (size_t b = 0; b < vocab::k_bases; ++b) base.may[b] = base.must[b] = Relation(2);
    base.may[static_cast<size_t>(Base::co)].set(0, 1);
    base.may[static_cast<size_t>(Base::co)].set(1, 0);
    base.may[static_cast<size_t>(Base::po)].set(0, 1);
    base.must[static_cast<size_t>(Base::po)].set(0, 1);
    Fired out;
    forbidden(*m, base, compute(*m, base), &out);
    std::set<std::string> names;
    for (size_t k = 0; k < k_rules; ++k)
      if (out.test(k)) names.insert(name(static_cast<Rule>(k)));
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(fired("empty co as none\n"), (Names{"empty"}));
  EXPECT_EQ(fired("acyclic po | co as sc\n"), (Names{"acyclic", "union"}));
  EXPECT_EQ(fired("irreflexive po; co as ahead\n"), (Names{"irreflexive", "first step"}));
  EXPECT_EQ(fired("irreflexive co; po as behind\n"), (Names{"irreflexive", "second step"}));
  EXPECT_EQ(fired("empty co^-1 & po as back\n"), (Names{"empty", "intersection", "inverse"}));
  EXPECT_EQ(fired("empty co \\ po as but\n"), (Names{"empty", "difference"}));
  EXPECT_EQ(fired("irreflexive co as none\n"), Names{});
  EXPECT_EQ(fired("flag ~empty co as flagged\n"), Names{});
}

}  // namespace
}  // namespace fencepost::bounds
