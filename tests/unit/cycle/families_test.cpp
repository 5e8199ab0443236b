#include "cycle/families.h"

#include <gtest/gtest.h>

#include <set>

namespace fencepost::gen {
namespace {

std::vector<std::string> names(const FamilyRequest& r) {
  std::vector<std::string> out;
  const auto n = enumerate(r, [&](const Spec& s) {
    out.push_back(name(s));
    EXPECT_EQ(canonical(s), s) << out.back();
    return true;
  });
  EXPECT_TRUE(n) << (n ? "" : render(n.error()));
  EXPECT_EQ(n.value_or(0), out.size());
  EXPECT_EQ(std::set<std::string>(out.begin(), out.end()).size(), out.size());  // no two have one name
  return out;
}
using Set = std::set<std::string>;
Set as_set(const std::vector<std::string>& v) { return {v.begin(), v.end()}; }

FamilyRequest plain(uint32_t threads) {
  FamilyRequest r;
  r.least_threads = r.most_threads = threads;
  r.relations = {*parse_kind("Po")};
  return r;
}

TEST(Families, BySize) {
  EXPECT_EQ(as_set(names(plain(2))), (Set{"MP", "SB", "LB", "S", "R", "2+2W"}));
  EXPECT_EQ(as_set(names(plain(3))), (Set{"WRC", "RWC", "ISA2", "WRW+2W", "WRW+WR", "WRR+2W", "3.2W", "3.SB", "3.LB",
                                          "Z6.0", "Z6.1", "Z6.2", "Z6.3", "Z6.4", "Z6.5", "W+RWC", "WWC"}));
  const Set four = as_set(names(plain(4)));
  EXPECT_TRUE(four.contains("IRIW") && four.contains("IRRWIW") && four.contains("IRWIW"));
  FamilyRequest one = plain(2);
  one.same_location = true;
  const Set coherence = as_set(names(one));
  EXPECT_TRUE(coherence.contains("CoRR") && coherence.contains("CoRW"));
}

TEST(Families, RelationsAccessesAndPlacements) {
  FamilyRequest r = plain(2);
  r.families = {"SB"};
  r.relations = {*parse_kind("Po"), *parse_kind("Fence.sc.gpu"), *parse_kind("DpData")};
  EXPECT_EQ(as_set(names(r)), (Set{"SB", "SB+fence.sc.gpu+po", "SB+fence.sc.gpus"}));  // no data dependency on a write
  r.placement = FamilyRequest::Placement::all;
  EXPECT_EQ(names(r).size(), 9u);
  r.families = {"MP"};
  EXPECT_EQ(names(r).size(), 12u);  // po and fence on each side, three placements
  r.placement = FamilyRequest::Placement::given;
  r.trees = {"01", "01.2"};
  EXPECT_EQ(names(r).size(), 4u);
  r.relations = {*parse_kind("Po")};
  r.writes = {*parse_node("relaxed.gpu"), *parse_node("release.gpu")};
  r.reads = {*parse_node("relaxed.gpu"), *parse_node("acquire.gpu")};
  EXPECT_EQ(names(r).size(), 16u);
  r.uniform = true;
  EXPECT_EQ(names(r).size(), 2u);
  r.limit = 1;
  EXPECT_EQ(names(r).size(), 1u);
}

TEST(Families, AutomorphismsAreCountedOnce) {
  FamilyRequest r = plain(4);
  r.families = {"IRIW"};
  r.placement = FamilyRequest::Placement::all;
  // 60 trees of four threads under the rotation by half the cycle: (60 + fixed) / 2.
  const size_t n = names(r).size();
  size_t fixed = 0;
  for (const Tree& t : all_trees(4, false)) fixed += permuted(t, {2, 3, 0, 1}) == t;
  EXPECT_EQ(n, (60 + fixed) / 2);
  r.families = {"3.SB"};
  r.least_threads = r.most_threads = 3;
  EXPECT_EQ(names(r).size(), 6u);  // 12 trees of three threads, up to the three rotations
}

TEST(Families, Refuses) {
  FamilyRequest r = plain(2);
  r.relations.clear();
  EXPECT_FALSE(enumerate(r, [](const Spec&) { return true; }));
  r = plain(7);
  EXPECT_FALSE(enumerate(r, [](const Spec&) { return true; }));
  r = plain(2);
  r.placement = FamilyRequest::Placement::given;
  r.trees = {"0.."};
  EXPECT_FALSE(enumerate(r, [](const Spec&) { return true; }));
}

}  // namespace
}  // namespace fencepost::gen
