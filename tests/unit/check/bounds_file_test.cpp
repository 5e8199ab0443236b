// Bounds of single loops: in the engines, in what `--bound auto` raises, and in files.
#include "check/bounds_file.h"

#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

using support::parsed;

// P0 counts to three, P1 to one and back: two loops that need different bounds.
const std::string k_two =
    "VULKAN two\n{ x = 0; y = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | LC01: ;\n"
    " rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, y, 1 ;\n blt r0, 2, LC00 | blt r0, 0, LC01 ;\nforall (x = "
    "3 /\\ y = 1)\n";

Result ask(const prog::Test& t, Engine engine, const prog::LoopBounds& bound, bool automatic = false) {
  const auto m = cat::load_model("vulkan", vocab::Dialect::vulkan);
  Options o;
  o.engine = engine;
  o.bound = bound;
  o.auto_bound = automatic;
  Job job;
  return check(t, *m, o, job);
}

TEST(LoopBounds, EachLoopHasItsOwn) {
  const prog::Test t = parsed(k_two);
  ASSERT_EQ(prog::loops_of(t).size(), 2u);
  prog::LoopBounds bounds = 1;
  for (const Engine e : {Engine::solve, Engine::enumerate, Engine::both}) {
    bounds.loops = {{{0, 0}, 2}};
    EXPECT_EQ(ask(t, e, bounds).verdict.status, Status::unknown);
    bounds.loops = {{{0, 0}, 3}};
    EXPECT_EQ(ask(t, e, bounds).verdict.status, Status::holds);
    bounds.loops = {{{1, 0}, 3}};
    EXPECT_EQ(ask(t, e, bounds).verdict.status, Status::unknown);
  }
}

TEST(LoopBounds, AutoRaisesTheLoopThatReachedItsBound) {
  const prog::Test t = parsed(k_two);
  const Result r = ask(t, Engine::solve, 1, true);
  EXPECT_EQ(r.verdict.status, Status::holds);
  EXPECT_EQ(r.bound.of(0, 0), 4u);
  EXPECT_EQ(r.bound.of(1, 0), 1u);
  EXPECT_EQ(ask(t, Engine::enumerate, 1, true).verdict.status, Status::holds);  // which raises all
}

TEST(LoopBounds, RaisingKeepsEqualThreadsEqual) {
  const prog::Test t = parsed(
      "VULKAN alike\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | LC00: ;\n"
      " rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 ;\n blt r0, 2, LC00 | blt r0, 2, LC00 ;\nforall (x "
      "= 4)\n");
  ASSERT_EQ(t.threads[0].templ, t.threads[1].templ);
  EXPECT_EQ(prog::raised(t, 1, {{1, 0}}), prog::LoopBounds(2));
  EXPECT_EQ(prog::raised(t, 3, {}), prog::LoopBounds(6));
  EXPECT_EQ(ask(t, Engine::solve, 1, true).verdict.status, Status::holds);
}

TEST(BoundsFile, WhatIsSavedIsReadAgainAndDecidesAtOnce) {
  const prog::Test t = parsed(k_two);
  const std::string name = program_name("some/where/two.litmus", t);
  EXPECT_EQ(name, "two.litmus#two");
  const Result r = ask(t, Engine::solve, 1, true);
  const std::string text = std::string(k_bounds_head) + print_bounds(name, t, r.bound, "condition: holds");
  EXPECT_NE(text.find("loop LC00 line 4 threads P0 bound 4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("loop LC01 line 4 threads P1 bound 1\n"), std::string::npos) << text;
  const auto file = parse_bounds(make_source("two.bounds", text));
  ASSERT_TRUE(file.has_value()) << render(file.error());
  const auto bounds = bounds_for(*file, name, t, 1);
  ASSERT_TRUE(bounds.has_value()) << render(bounds.error());
  EXPECT_EQ(ask(t, Engine::solve, *bounds).verdict.status, Status::holds);
}

TEST(BoundsFile, EqualLoopsShareALine) {
  const prog::Test t = parsed(
      "VULKAN alike\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 | P2@sg 0,wg 1,qf 0 | P3@sg 0,wg 1,qf 0 ;\n"
      " LC00: | LC00: | LC00: | LC00: ;\n ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, x | "
      "ld.atom.dv.sc0 r0, x ;\n"
      " beq r0, 0, LC00 | beq r0, 0, LC00 | beq r0, 0, LC00 | beq r0, 0, LC00 ;\nforall (x = 0)\n");
  prog::LoopBounds bounds = 2;
  bounds.loops = {{{2, 0}, 5}};
  const std::string text = print_bounds("alike", t, bounds, "");
  EXPECT_EQ(text, "program alike\nloop LC00 line 4 threads P0-P1,P3 bound 2\nloop LC00 line 4 threads P2 bound 5\n");
  const auto file = parse_bounds(make_source("b", text));
  ASSERT_TRUE(file.has_value());
  const auto again = bounds_for(*file, "alike", t, 1);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->of(2, 0), 5u);
  EXPECT_EQ(again->of(3, 0), 2u);
}

TEST(BoundsFile, FaultsHavePlaceAndHint) {
  const prog::Test t = parsed(k_two);
  struct Case {
    const char* text;
    const char* place;
    const char* part;
  };
  const Case cases[] = {
      {"", "b:1:1", "names its program"},
      {"programme two.litmus#two\n", "b:1:1", "did you mean 'program'?"},
      {"loop LC00 line 4 threads P0 bound 4\n", "b:1:1", "belongs to no program"},
      {"program\n", "b:1:1", "name is missing"},
      {"program a\nprogram a\n", "b:2:9", "has been here before"},
      {"program two.litmus#two\nloop LC00 line 4 threads P0\n", "b:2:26", "'bound' and its value"},
      {"program two.litmus#two\nloop LC00 line four threads P0 bound 4\n", "b:2:16", "whole number"},
      {"program two.litmus#two\nloop LC00 line 4 threads P0 bound 0\n", "b:2:35", "from 1 to 1000"},
      {"program two.litmus#two\nloop LC00 line 4 threads 0 bound 4\n", "b:2:26", "threads are needed"},
      {"program two.litmus#two\nloop LC00 line 4 threads P3-P1 bound 4\n", "b:2:26", "threads are needed"},
      {"program two.litmus#two\nloop LC00 line 4 threads P0 bound 4 5\n", "b:2:37", "should end here"},
      {"program one.litmus#two\nloop LC00 line 4 threads P0 bound 4\n", "b:1:9", "not the bounds of two.litmus#two"},
      {"program two.litmus#two\nloop LC05 line 4 threads P0 bound 4\n", "b:2:6", "did you mean LC00?"},
      {"program two.litmus#two\nloop LC00 line 7 threads P0 bound 4\n", "b:2:16", "stands on line 4"},
      {"program two.litmus#two\nloop LC00 line 4 threads P0,P2 bound 4\n", "b:2:26", "has no thread P2"},
      {"program two.litmus#two\nloop LC00 line 4 threads P0,P0 bound 4\n", "b:2:6", "has a bound already"},
  };
  for (const Case& c : cases) {
    std::string said;
    const auto file = parse_bounds(make_source("b", c.text));
    if (!file) {
      said = render(file.error());
    } else {
      const auto bounds = bounds_for(*file, "two.litmus#two", t, 1);
      ASSERT_FALSE(bounds.has_value()) << c.text;
      said = render(bounds.error());
    }
    EXPECT_NE(said.find(c.place), std::string::npos) << c.text << said;
    EXPECT_NE(said.find(c.part), std::string::npos) << c.text << said;
  }
}

}  // namespace
}  // namespace fencepost::check
