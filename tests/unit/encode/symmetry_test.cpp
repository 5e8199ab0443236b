// Which threads may change places: what distinguishes them must be noticed, what does not must not be.
#include "encode/symmetry.h"

#include <gtest/gtest.h>

#include "cat/library.h"
#include "read/read.h"

namespace fencepost::encode {
namespace {

// Sizes of the runs found.
std::vector<size_t> runs(const std::string& text, bool with_question = false) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  if (!t) {
    ADD_FAILURE() << render(t.error());
    return {};
  }
  const auto s = unroll(*t, 2, false);
  std::vector<const prog::Cond*> questions;
  if (with_question) questions.push_back(&t->condition);
  std::vector<size_t> out;
  for (const SymmetricRun& r : symmetric_runs(*s, questions)) out.push_back(r.keys.size());
  return out;
}
using Sizes = std::vector<size_t>;

// Three threads take a number and note it in a place of their own.
std::string numbers(const std::string& init, const std::string& third, const std::string& places,
                    const std::string& condition) {
  return "VULKAN numbers\n{ " + init + " }\n " + places +
         " ;\n rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 ;\n"
         " st.sc0 a, r0 | st.sc0 b, r0 | " +
         third + " ;\n" + condition + "\n";
}
const char* k_one_group = "P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 | P2@sg 0,wg 0,qf 0";
const char* k_all = "exists (a = 1 /\\ b = 1 /\\ c = 1)";

TEST(Symmetry, PlacesOfTheirOwnChangeWithTheThreads) {
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", k_one_group, k_all), true), Sizes{3});
}

TEST(Symmetry, AnotherInstructionValueOrTagTellsApart) {
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, 7", k_one_group, k_all)), Sizes{2});
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc1 c, r0", k_one_group, k_all)), Sizes{2});
  EXPECT_EQ(runs(numbers("x = 0;", "st.atom.dv.sc0 c, r0", k_one_group, k_all)), Sizes{2});
  EXPECT_EQ(runs(numbers("x = 0;", "ld.sc0 r1, c", k_one_group, k_all)), Sizes{2});
}

TEST(Symmetry, AnotherInitialValueTellsApart) {
  EXPECT_EQ(runs(numbers("x = 0; c = 5;", "st.sc0 c, r0", k_one_group, k_all)), Sizes{2});
}

TEST(Symmetry, APlaceSharedByTwoTellsApart) {
  EXPECT_EQ(runs(numbers("x = 0; c = 0;", "st.sc0 b, r0", k_one_group, k_all)), Sizes{2});  // b and c, but not a
  EXPECT_EQ(runs(numbers("x = 0; c = 0;", "st.sc0 a, r0", k_one_group, k_all)), Sizes{});   // neighbours only
}

TEST(Symmetry, TheQuestionTellsApart) {
  const char* one = "exists (a = 1 /\\ b = 1 /\\ c = 2)";
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", k_one_group, one), true), Sizes{2});
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", k_one_group, one), false), Sizes{3});
  const char* registers = "exists (P0:r0 = 1 /\\ P1:r0 = 2)";
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", k_one_group, registers), true), Sizes{});
  const char* either = "exists ((P0:r0 = 1 /\\ P1:r0 = 2) \\/ (P1:r0 = 1 /\\ P0:r0 = 2))";
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", k_one_group, either), true), Sizes{2});
}

TEST(Symmetry, ScopesTellApart) {
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", "P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 | P2@sg 0,wg 1,qf 0", k_all)),
            Sizes{2});
  // A thread alone in its group cannot change with a group of two.
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", "P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 | P2@sg 0,wg 1,qf 0", k_all)),
            Sizes{2});
  EXPECT_EQ(runs(numbers("x = 0;", "st.sc0 c, r0", "P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 | P2@sg 0,wg 2,qf 0", k_all)),
            Sizes{3});
}

TEST(Symmetry, GroupsChangeAsWholes) {
  const std::string two_by_two =
      "VULKAN groups\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 | P2@sg 0,wg 1,qf 0 | P3@sg 0,wg 1,qf 0 ;\n"
      " rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 | "
      "rmw.atom.dv.sc0.add r0, x, 1 ;\n"
      "exists (x = 4)\n";
  EXPECT_EQ(runs(two_by_two, true), (Sizes{2, 2, 2}));
}

// Sizes of the runs where the model says which scopes are seen.
std::vector<size_t> runs_under(const std::string& name, const std::string& text) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  if (!t) {
    ADD_FAILURE() << render(t.error());
    return {};
  }
  const auto model = cat::load_model(name, t->dialect);
  if (!model) {
    ADD_FAILURE() << render(model.error());
    return {};
  }
  const auto s = unroll(*t, 2, false);
  std::vector<size_t> out;
  for (const SymmetricRun& r : symmetric_runs(*s, {}, &*model)) out.push_back(r.keys.size());
  return out;
}
std::string two_groups(const std::string& instruction, const std::string& more = "") {
  std::string code, places;
  for (int t = 0; t < 4; ++t) {
    places +=
        std::string(t == 0 ? "" : " | ") + "P" + std::to_string(t) + "@sg 0,wg " + std::to_string(t / 2) + ",qf 0";
    code += (t == 0 ? "" : " | ") + instruction;
  }
  std::string text = "VULKAN groups\n{ x = 0; y = 0; }\n " + places + " ;\n " + code + " ;\n";
  for (int t = 0; !more.empty() && t < 4; ++t) text += (t == 0 ? " " : " | ") + more;
  return text + (more.empty() ? "" : " ;\n") + "exists (x = 4)\n";
}

TEST(Symmetry, ScopesThatNothingSeesDoNotTellApart) {
  const std::string add = "rmw.atom.dv.sc0.add r0, x, 1";
  for (const char* model : {"vulkan", "vulkan-tables", "vulkan-nochains"})
    EXPECT_EQ(runs_under(model, two_groups(add, "st.atom.rel.dv.sc0.semsc0.semav y, 1")), Sizes{4}) << model;
}

TEST(Symmetry, ScopesThatAnInstructionNamesTellApart) {
  const std::string add = "rmw.atom.dv.sc0.add r0, x, 1";
  EXPECT_EQ(runs_under("vulkan-tables", two_groups(add, "st.atom.wg.sc0 y, 1")), (Sizes{2, 2, 2}));
  EXPECT_EQ(runs_under("vulkan-tables", two_groups(add, "st.av.wg.sc0 y, 1")), (Sizes{2, 2, 2}));
  EXPECT_EQ(runs_under("vulkan-tables", two_groups(add, "cbar.acq.wg.semsc0 0")), (Sizes{2, 2, 2}));
  // Two storage classes: the proof for availability chains is for one.
  const std::string both = "rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis.add r0, x, 1";
  EXPECT_EQ(runs_under("vulkan-tables", two_groups(both, "st.av.dv.sc0 y, 1")), Sizes{4});
  EXPECT_EQ(runs_under("vulkan-tables", two_groups(both, "st.av.dv.sc1 y, 1")), (Sizes{2, 2, 2}));
}

TEST(Symmetry, DirectedSynchronisationTellsApart) {
  const std::string ssw =
      "VULKAN ssw\n{ x = 0; }\n{ ssw 0 1; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n"
      " rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 ;\nexists (x = 2)\n";
  EXPECT_EQ(runs(ssw), Sizes{});
}

}  // namespace
}  // namespace fencepost::encode
