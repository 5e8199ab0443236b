#include "check/beside.h"

#include <gtest/gtest.h>

#include "cat/library.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

Beside of(const std::string& text, uint32_t bound = 1, const std::string& model = "",
          Property property = Property::condition) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  if (!t) {
    ADD_FAILURE() << render(t.error());
    return {};
  }
  const auto m = cat::load_model(model.empty() ? cat::default_model(t->dialect) : model, t->dialect);
  Options o;
  o.bound = bound;
  o.property = property;
  Job job;
  return beside(*t, *m, o, check(*t, *m, o, job), job);
}

const std::string k_head = "OPENCL racy\n{ [x] = 0; }\n\nP0@wg 0, dev 0 (global int* x) {\n  *x = 1;\n}\n\n";

TEST(Beside, ARacyProgramIsSaidToBe) {
  const Beside b = of(k_head + "P1@wg 1, dev 0 (global int* x) {\n  int r = *x;\n}\n\n~exists (1:r=1)\n");
  EXPECT_EQ(b.races, Beside::Said::yes);
  EXPECT_TRUE(b.undefined);
  EXPECT_EQ(b.flags, std::vector<std::string>{"data-race"});
  EXPECT_EQ(b.blocked, Beside::Said::none);
}

// PTX keeps its axioms in spite of races of accesses of one size (8.7.2).
TEST(Beside, ARaceOfPtxLeavesTheProgramDefined) {
  const Beside b =
      of("PTX racy\n{ x = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n"
         "exists (P1:r0 = 1)\n");
  EXPECT_EQ(b.races, Beside::Said::yes);
  EXPECT_FALSE(b.undefined);
  EXPECT_EQ(notes(b), std::vector<std::string>{"some execution raises data-race"});
}

// Its race is a finding and no more; that a register leads to no location is undefined behaviour.
TEST(Beside, ARaceOfPtxHidesNoUndefinedBehaviour) {
  const std::string test =
      "GPU_PTX outside\n{ .s64 x = 0; .s64 y = 7;\n  0:.reg .s64 r0 = 0; 0:.reg .s64 r1 = 0; 0:.reg .b64 b = y; }\n"
      " T0 | T1 ;\n ld.cg.s64 r0, [x] | st.cg.s64 [x], 1 ;\n add.s64 b, b, @ | ;\n ld.cg.s64 r1, [b] | ;\n"
      "ScopeTree (device (cta (warp T0)) (cta (warp T1)))\nexists (0:r0 = 1)\n";
  const auto with = [&](const std::string& added) { return std::string(test).replace(test.find('@'), 1, added); };
  const Beside b = of(with("r0"));
  EXPECT_TRUE(b.undefined);
  EXPECT_EQ(b.flags, (std::vector<std::string>{"undefined-behavior", "data-race"}));
  const Beside inside = of(with("0"));
  EXPECT_FALSE(inside.undefined);
  EXPECT_EQ(inside.flags, std::vector<std::string>{"data-race"});
}

TEST(Beside, AProgramWithoutRaces) {
  EXPECT_EQ(of(k_head + "P1@wg 1, dev 0 (global int* x) {\n  int r = 0;\n}\n\n~exists (1:r=1)\n").races,
            Beside::Said::no);
}

TEST(Beside, AModelWithoutTheNotionIsNotAsked) {
  EXPECT_EQ(of("PTX plain\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n ld.relaxed.gpu r0, x ;\nexists (P0:r0 = 0)\n").blocked,
            Beside::Said::none);
}

TEST(Beside, AThreadThatWaitsForWhoDoesNotCome) {
  const std::string barrier =
      "VULKAN waits\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 1 "
      ";\n";
  const Beside b =
      of(barrier +
         " beq r0, 0, END0 | cbar.acq.wg.semsc0 0 ;\n cbar.acq.wg.semsc0 0 | ;\n END0: | ;\nexists (P0:r0 = 1)\n");
  EXPECT_EQ(b.blocked, Beside::Said::yes);
  EXPECT_EQ(b.blocked_at.substr(0, 2), "P1");
  EXPECT_EQ(of(barrier + " cbar.acq.wg.semsc0 0 | cbar.acq.wg.semsc0 0 ;\nexists (P0:r0 = 1)\n").blocked,
            Beside::Said::no);
}

// That no race was found is no word on what stands behind a barrier to which memory decides who comes.
TEST(Beside, OfRacesTooWhereMemoryDecidesWhoComes) {
  const std::string head =
      "VULKAN waits\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 1 "
      ";\n";
  EXPECT_EQ(of(head + " beq r0, 0, END0 | cbar.acq.wg.semsc0 0 ;\n cbar.acq.wg.semsc0 0 | ;\n END0: | ;\n", 1, "",
               Property::races)
                .blocked,
            Beside::Said::yes);
  EXPECT_EQ(of(head + " cbar.acq.wg.semsc0 0 | cbar.acq.wg.semsc0 0 ;\n", 1, "", Property::races).blocked,
            Beside::Said::none);
}

// ---- values out of thin air --------------------------------------------------------------------------------------
using Said = Beside::Said;

// Two threads that hand on what they have read, in CUDA. `more` stands behind P0's and P1's exchange.
std::string hand_on(const std::string& p0, const std::string& p1, const std::string& end,
                    const std::string& more = "") {
  return "CUDA air\n{ x = 0; y = 0; z = 0; }\n\nP0@block 0, device 0 (int* x, int* y, int* z) {\n" + p0 +
         "}\n\nP1@block 1, device 0 (int* x, int* y, int* z) {\n" + p1 + "}\n\n" + more + end + "\n";
}
const std::string k_from_x = "  int r0 = atomicAdd(x, 0);\n", k_from_y = "  int r1 = atomicAdd(y, 0);\n";
const std::string k_to_y = "  atomicExch(y, r0);\n", k_to_x = "  atomicExch(x, r1);\n";
const std::string k_both = "exists (0:r0=1 /\\ 1:r1=1)";

TEST(Beside, AWitnessOutOfThinAirIsSaidToBe) {
  const std::string test = hand_on(k_from_x + k_to_y, k_from_y + k_to_x, k_both);
  for (const char* model : {"cuda", "cuda-volatile"}) {
    const Beside b = of(test, 1, model);
    EXPECT_EQ(b.thin_air, Said::yes) << model;
    const auto said = notes(b);
    ASSERT_EQ(said.size(), 1u) << model;
    EXPECT_TRUE(said[0].starts_with("out of thin air: every execution")) << said[0];
  }
}

TEST(Beside, OfOpenClAndVulkanToo) {
  const std::string cl = "(global atomic_int* x, global atomic_int* y) {\n";
  EXPECT_EQ(of("OPENCL air\n{ [x] = 0; [y] = 0; }\n\nP0@wg 0, dev 0 " + cl +
               "  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);\n"
               "  atomic_store_explicit(y, r0, memory_order_relaxed, memory_scope_device);\n}\n\nP1@wg 1, dev 0 " +
               cl +
               "  int r1 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);\n"
               "  atomic_store_explicit(x, r1, memory_order_relaxed, memory_scope_device);\n}\n\n" +
               k_both + "\n")
                .thin_air,
            Said::yes);
  const std::string vulkan =
      "VULKAN air\n{ x = 0; y = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 "
      "r1, y ;\n";
  const std::string ask = "exists (0:r0 = 1 /\\ 1:r1 = 1)\n";
  EXPECT_EQ(of(vulkan + " st.atom.dv.sc0 y, r0 | st.atom.dv.sc0 x, r1 ;\n" + ask).thin_air, Said::yes);
  EXPECT_EQ(of(vulkan + " st.atom.dv.sc0 y, 1 | st.atom.dv.sc0 x, 1 ;\n" + ask).thin_air, Said::no);
}

TEST(Beside, BranchesAreDependenciesToo) {
  const std::string guarded0 = "  if (r0 == 1) {\n    atomicExch(y, 1);\n  }\n",
                    guarded1 = "  if (r1 == 1) {\n    atomicExch(x, 1);\n  }\n";
  EXPECT_EQ(of(hand_on(k_from_x + guarded0, k_from_y + guarded1, k_both), 1, "cuda").thin_air, Said::yes);
  EXPECT_EQ(of(hand_on(k_from_x + guarded0, k_from_y + "  atomicExch(x, 1);\n", k_both), 1, "cuda").thin_air, Said::no);
}

// Two threads that each wait for what the other writes behind its loop; one of them leaves its loop by a break.
TEST(Beside, WhatFollowsALoopDependsOnWhatEndsIt) {
  const auto threads = [](const std::string& p0, const std::string& p1, const std::string& end) {
    const std::string cl = ", dev 0 (global atomic_int* x, global atomic_int* y) {\n";
    return "OPENCL waits\n{ [x] = 0; [y] = 0; }\n\nP0@wg 0" + cl + p0 + "}\n\nP1@wg 1" + cl + p1 + "}\n\n" + end + "\n";
  };
  const auto load = [](const std::string& of) {
    return "atomic_load_explicit(" + of + ", memory_order_relaxed, memory_scope_device)";
  };
  const auto store = [](const std::string& to) {
    return "  atomic_store_explicit(" + to + ", 1, memory_order_relaxed, memory_scope_device);\n";
  };
  const std::string waits = "  while (" + load("x") + " == 0) {\n  }\n" + store("y");
  const std::string leaves =
      "  while (1) {\n    int r1 = " + load("y") + ";\n    if (r1 == 1) { break; }\n  }\n" + store("x");
  EXPECT_EQ(of(threads(waits, leaves, "exists (x=1)"), 2).thin_air, Said::yes);
  EXPECT_EQ(of(threads(waits, store("x"), "exists (y=1)"), 2).thin_air, Said::no);
  // What a branch within the loop decides is over with it.
  const std::string within = "  int i = 0;\n  int r0 = 0;\n  while (i < 1) {\n    r0 = " + load("x") +
                             ";\n    if (r0 == 1) { r0 = 1; }\n    i = i + 1;\n  }\n" + store("y");
  const std::string hands_on =
      "  int r1 = " + load("y") + ";\n  atomic_store_explicit(x, r1, memory_order_relaxed, memory_scope_device);\n";
  EXPECT_EQ(of(threads(within, hands_on, k_both), 2).thin_air, Said::no);
}

// Load buffering needs no value of its own making, and so does what a third thread gives.
TEST(Beside, WhatAnotherExecutionShowsIsNotOutOfThinAir) {
  EXPECT_EQ(of(hand_on(k_from_x + "  atomicExch(y, 1);\n", k_from_y + k_to_x, k_both), 1, "cuda").thin_air, Said::no);
  const std::string third = "P2@block 2, device 0 (int* x, int* y, int* z) {\n  atomicExch(y, 1);\n}\n\n";
  const Beside b = of(hand_on(k_from_x + k_to_y, k_from_y + k_to_x, k_both, third), 1, "cuda");
  EXPECT_EQ(b.thin_air, Said::no);
  EXPECT_TRUE(notes(b).empty());
}

TEST(Beside, AnAnswerThatRestsOnNoExecutionHasNoThinAir) {
  EXPECT_EQ(of(hand_on(k_from_x + k_to_y, k_from_y + k_to_x, "exists (0:r0=1 /\\ 1:r1=2)"), 1, "cuda").thin_air,
            Said::none);
  EXPECT_EQ(of(hand_on(k_from_x + k_to_y, k_from_y + k_to_x, "~exists (0:r0=1 /\\ 1:r1=1)"), 1, "cuda").thin_air,
            Said::yes)
      << "it fails";
}

// A race behind a guard that only values out of thin air pass.
TEST(Beside, ARaceOutOfThinAirIsSaidToBe) {
  const std::string write0 = "  if (r0 == 1) {\n    *z = 1;\n  }\n", write1 = "  if (r1 == 1) {\n    *z = 2;\n  }\n";
  const auto program = [&](const std::string& end, const std::string& third = "") {
    return hand_on(k_from_x + k_to_y + write0, k_from_y + k_to_x + write1, end, third);
  };
  const Beside b = of(program("exists (0:r0=0)"), 1, "cuda");
  EXPECT_EQ(b.races, Said::yes);
  EXPECT_EQ(b.races_thin_air, Said::yes);
  EXPECT_EQ(notes(b), std::vector<std::string>{
                          "the program is undefined: some execution raises data-race, out of thin air alone"});
  EXPECT_EQ(of(program("exists (0:r0=0)"), 1, "cuda", Property::races).thin_air, Said::yes);
  const std::string third = "P2@block 2, device 0 (int* x, int* y, int* z) {\n  atomicExch(y, 1);\n}\n\n";
  EXPECT_EQ(of(program("exists (0:r0=0)", third), 1, "cuda").races_thin_air, Said::no);
  EXPECT_EQ(of(program("exists (0:r0=0)", third), 1, "cuda", Property::races).thin_air, Said::no);
}

// Of a list of outcomes: which states and flags are there out of thin air alone.
ThinAirOfList of_list(const std::string& text, const std::string& model, Engine engine = Engine::enumerate) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  const auto m = cat::load_model(model, t->dialect);
  Options o;
  o.engine = engine;
  Job job;
  const Outcomes listed = engine == Engine::solve ? outcomes_by_solving(*t, *m, o, job) : outcomes(*t, *m, o, job);
  return thin_air_of(*t, *m, o, listed, 1, job);
}

TEST(Beside, StatesOfAListOutOfThinAirAreSaidToBe) {
  const std::string guarded0 = "  if (r0 == 1) {\n    atomicExch(y, 1);\n  }\n",
                    guarded1 = "  if (r1 == 1) {\n    atomicExch(x, 1);\n  }\n";
  const std::string test = hand_on(k_from_x + guarded0, k_from_y + guarded1, k_both);
  for (const Engine engine : {Engine::enumerate, Engine::solve}) {
    const ThinAirOfList air = of_list(test, "cuda", engine);
    EXPECT_EQ(air.said, Said::yes);
    EXPECT_EQ(air.states, (std::set<prog::State>{{{false, 1}, {false, 1}}}));
    EXPECT_TRUE(air.flags.empty());
  }
  // A value that goes round and that nothing fixes.
  const ThinAirOfList round = of_list(hand_on(k_from_x + k_to_y, k_from_y + k_to_x, k_both), "cuda");
  EXPECT_EQ(round.said, Said::yes);
  ASSERT_EQ(round.states.size(), 1u);
  EXPECT_TRUE(round.states.begin()->front().free);
  // One thread writes in any case: the same states, each by an execution without.
  EXPECT_EQ(of_list(hand_on(k_from_x + guarded0, k_from_y + "  atomicExch(x, 1);\n", k_both), "cuda").said, Said::no);
}

TEST(Beside, FlagsOfAListOutOfThinAirAreSaidToBe) {
  const std::string write0 = "  if (r0 == 1) {\n    *z = 1;\n    atomicExch(y, 1);\n  }\n",
                    write1 = "  if (r1 == 1) {\n    *z = 2;\n    atomicExch(x, 1);\n  }\n";
  const ThinAirOfList air = of_list(hand_on(k_from_x + write0, k_from_y + write1, k_both), "cuda");
  EXPECT_EQ(air.said, Said::yes);
  EXPECT_EQ(air.flags, std::vector<std::string>{"data-race"});
  const ThinAirOfList races = of_list(hand_on(k_from_x + "  *z = 1;\n", k_from_y + "  *z = 2;\n", k_both), "cuda");
  EXPECT_EQ(races.said, Said::no);
}

TEST(Beside, AListIsNotAskedWhereTheModelForbidsSuchValues) {
  const std::string test =
      "PTX air\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n ld.weak r0, x | ld.weak r1, y ;\n"
      " st.weak y, r0 | st.weak x, r1 ;\nexists (P0:r0 = 1)\n";
  EXPECT_EQ(of_list(test, "ptx-8").said, Said::none);
}

}  // namespace
}  // namespace fencepost::check
