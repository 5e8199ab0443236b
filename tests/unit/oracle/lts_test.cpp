#include <gtest/gtest.h>

#include <algorithm>

#include "hand_made.h"
#include "oracle/oracle.h"
#include "oracle/steps.h"

namespace fencepost::oracle {
namespace {

using namespace hand_made;

struct Published {
  const char* model;
  uint32_t states;
  size_t transitions;
};
// Of the mutex of figure 2, reduced modulo strong bisimulation, in the artifact's stand-alone example.
constexpr Published k_mutex[] = {{"hsa", 17, 24},  {"obe", 23, 34},    {"hsa+obe", 19, 28},
                                 {"lobe", 20, 29}, {"unfair", 17, 24}, {"fair", 17, 24}};

TEST(Lts, TheMutexHasThePublishedSizesRawAndAbstract) {
  for (const Published& p : k_mutex) {
    const fair::Model model = fair::load_model(p.model).value();
    for (bool abstract : {false, true}) {
      const Lts l = reduce(with_all_done(lts(mutex(), &model, abstract, {}).value()));
      EXPECT_EQ(l.states, p.states) << p.model;
      EXPECT_EQ(l.edges.size(), p.transitions) << p.model;
    }
  }
}

// Figures 2(b) and 6, whose states are letters: A to H, A to H under HSA, A to L under OBE.
TEST(Lts, StepsAloneHaveTheStatesOfFigures2And6) {
  const fair::Model hsa = fair::load_model("hsa").value(), obe = fair::load_model("obe").value();
  const auto size = [](const Lts& l) { return std::pair(l.states, static_cast<uint32_t>(l.edges.size())); };
  using Size = std::pair<uint32_t, uint32_t>;
  EXPECT_EQ(size(steps_lts(mutex(), nullptr, {}).value()), Size(8, 10));
  EXPECT_EQ(size(steps_lts(mutex(), &hsa, {}).value()), Size(8, 10));
  const Lts l = steps_lts(mutex(), &obe, {}).value();
  EXPECT_EQ(size(l), Size(12, 16));
  for (const Lts::Edge& e : l.edges) EXPECT_TRUE(e.label.starts_with("EX !")) << e.label;
}

TEST(Lts, LabelsTellThreadInstructionJumpAndF) {
  const fair::Model hsa = fair::load_model("hsa").value();
  const Lts raw = lts(waits_for_later(), &hsa, false, {}).value();
  ASSERT_FALSE(raw.edges.empty());
  EXPECT_EQ(raw.edges[0].label, "EX !0 !if (x == 0) goto 0 !TRUE !{0}");
  EXPECT_EQ(raw.edges[0].to, 0u);
  const Lts bare = lts(waits_for_later(), nullptr, false, {}).value();
  EXPECT_EQ(bare.edges[0].label, "EX !0 !if (x == 0) goto 0 !TRUE");
  const Lts abstract = lts(waits_for_later(), &hsa, true, {}).value();
  EXPECT_EQ(abstract.edges[0].label, "EX !0 !{0}");
  EXPECT_TRUE(abstract.state_names.empty());
  EXPECT_EQ(raw.state_names.size(), raw.states);
}

TEST(Lts, EveryRunEndsWithTerminationsAndExit) {
  const Lts l = lts(mutex(), nullptr, false, {}).value();
  size_t exits = 0;
  for (const Lts::Edge& e : l.edges) exits += e.label == "exit";
  EXPECT_EQ(exits, 1u);
  EXPECT_EQ(lts(test_of("nothing", 1, {{}}), nullptr, false, {}).value().states, 2u);
}

TEST(Lts, ReductionMergesWhatBehavesAlikeAndNothingElse) {
  // Two ways to the same behaviour, and a third that differs two steps later.
  const Lts l{0, 7, {{0, 1, "a"}, {0, 2, "a"}, {0, 3, "a"}, {1, 4, "b"}, {2, 5, "b"}, {3, 6, "b"}, {6, 0, "c"}}, {}};
  const Lts r = reduce(l);
  EXPECT_EQ(r.states, 5u);
  EXPECT_EQ(r.edges.size(), 5u);
  EXPECT_EQ(reduce(r).edges.size(), r.edges.size());
  // A loop unrolled is the loop.
  EXPECT_EQ(reduce({0, 3, {{0, 1, "a"}, {1, 2, "a"}, {2, 0, "a"}}, {}}).states, 1u);
}

// Greatest bisimulation by pairs, to hold the partition against.
size_t classes_by_pairs(const Lts& l) {
  std::vector<std::vector<bool>> same(l.states, std::vector<bool>(l.states, true));
  auto simulates = [&](uint32_t a, uint32_t b) {
    for (const Lts::Edge& e : l.edges) {
      if (e.from != a) continue;
      bool matched = false;
      for (const Lts::Edge& f : l.edges) matched |= f.from == b && f.label == e.label && same[e.to][f.to];
      if (!matched) return false;
    }
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < l.states; ++a)
      for (uint32_t b = 0; b < l.states; ++b)
        if (same[a][b] && !(simulates(a, b) && simulates(b, a))) {
          same[a][b] = same[b][a] = false;
          changed = true;
        }
  }
  size_t classes = 0;
  for (uint32_t a = 0; a < l.states; ++a) {
    bool first = true;
    for (uint32_t b = 0; b < a; ++b) first &= !same[a][b];
    classes += first;
  }
  return classes;
}

TEST(Lts, ReductionAgreesWithPairsOnRandomSystems) {
  Rng rng(4);
  for (int k = 0; k < 60; ++k) {
    Lts l;
    l.states = 2 + static_cast<uint32_t>(rng.below(7));
    for (uint32_t s = 0; s + 1 < l.states; ++s)
      l.edges.push_back({s, s + 1, rng.chance(0.5) ? "a" : "b"});  // all reachable
    for (uint32_t e = 0; e < l.states; ++e)
      l.edges.push_back({static_cast<uint32_t>(rng.below(l.states)), static_cast<uint32_t>(rng.below(l.states)),
                         rng.chance(0.5) ? "a" : "b"});
    EXPECT_EQ(reduce(l).states, classes_by_pairs(l)) << to_aut(l);
  }
}

TEST(Lts, AldebaranAndDotAndSvg) {
  const Lts l = lts(mutex(), nullptr, true, {}).value();
  const std::string aut = to_aut(l);
  EXPECT_TRUE(aut.starts_with("des (0, 23, 16)\n")) << aut;
  EXPECT_EQ(std::count(aut.begin(), aut.end(), '\n'), 24);
  const std::string dot = to_dot(l);
  EXPECT_NE(dot.find("digraph"), std::string::npos);
  EXPECT_NE(dot.find("0 [peripheries = 2]"), std::string::npos);
  const std::string svg = to_svg(l);
  size_t circles = 0;
  for (size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++circles;
  EXPECT_EQ(circles, 17u);  // one more for the initial state
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(to_svg(Lts{0, 1, {}, {}}).find("</svg>"), std::string::npos);
}

TEST(Lts, TooManyStatesIsSaid) {
  Options few;
  few.max_states = 4;
  const auto l = lts(mutex(), nullptr, false, few);
  ASSERT_FALSE(l);
  EXPECT_EQ(l.error().list[0].fault, Fault::unsupported);
}

}  // namespace
}  // namespace fencepost::oracle
