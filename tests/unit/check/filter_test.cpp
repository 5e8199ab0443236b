// A filter says nothing of an execution that the bound has cut: its threads may go on to the values that the filter
// wants.
#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

using support::parsed;

std::string ask(const std::string& text, Engine engine, Property property, bool auto_bound) {
  const prog::Test t = parsed(text);
  const auto m = cat::load_model(cat::default_model(t.dialect), t.dialect);
  if (!m) return render(m.error());
  Options o;
  o.engine = engine;
  o.property = property;
  o.auto_bound = auto_bound;
  Job job;
  const Result r = check(t, *m, o, job);
  return std::string(name(r.verdict.status)) + (r.verdict.vacuous ? " vacuously" : "");
}

void expect(const std::string& text, Property property, const std::string& at_one, const std::string& at_last) {
  for (const Engine e : {Engine::enumerate, Engine::solve, Engine::both}) {
    EXPECT_EQ(ask(text, e, property, false), at_one) << name(e);
    EXPECT_EQ(ask(text, e, property, true), at_last) << name(e);
  }
}

// P0 leaves its loop with r0 = 1 in the second iteration, or in the first.
const std::string k_add =
    "PTX add\n{ x = 0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n L0: | st.relaxed.sys x, 1 ;\n atom.relaxed.sys.add "
    "r0, x, 1 | ;\n"
    " bne r0, 1, L0 | ;\n";

TEST(Filter, OfARegisterThatALoopSetsBehindTheBound) {
  expect(k_add + "filter (0:r0=1)\nforall (x=2)\n", Property::condition, "unknown", "fails");
  expect(k_add + "filter (0:r0=1)\nexists (x=1)\n", Property::condition, "unknown", "holds");
}

TEST(Filter, OfMemoryThatALoopSetsBehindTheBound) {
  expect(
      "PTX memory\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n L0: ;\n atom.relaxed.sys.add r0, x, 1 ;\n bne r0, 1, L0 ;\nfilter "
      "(x=2)\nexists (x=2)\n",
      Property::condition, "unknown", "holds");
}

TEST(Filter, OfRaces) {
  expect(
      "VULKAN races\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n L0: | st.av.dv.sc0 y, 2 ;\n"
      " rmw.atom.dv.sc0.add r0, x, 1 | ;\n bne r0, 1, L0 | ;\n st.av.dv.sc0 y, 1 | ;\nfilter (0:r0=1)\nexists (y=1)\n",
      Property::races, "unknown", "fails");
}

// What a cut thread holds now is not what it ends with: the race of the first iteration is none under the filter.
TEST(Filter, ACutExecutionIsNoWitnessOfARace) {
  const std::string text =
      "VULKAN leaves\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n L0: | st.av.dv.sc0 y, 2 ;\n"
      " rmw.atom.dv.sc0.add r0, x, 1 | ;\n st.av.dv.sc0 y, 1 | ;\n bne r0, 1, L0 | ;\nfilter (0:r0=0)\nexists (y=1)\n";
  expect(text, Property::races, "unknown", "holds vacuously");
}

TEST(Filter, OutcomesOfAnUnfinishedSearchAreNotComplete) {
  const prog::Test t = parsed(
      "PTX one\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n L0: ;\n atom.relaxed.sys.add r0, x, 1 ;\n bne r0, 1, L0 ;\nfilter "
      "(0:r0=1)\nexists (x=2)\n");
  const auto m = cat::load_model("ptx-7.5", vocab::Dialect::ptx);
  ASSERT_TRUE(m);
  Options o;
  Job job;
  for (const auto of : {outcomes, outcomes_by_solving}) {
    o.bound = 1;
    EXPECT_FALSE(of(t, *m, o, job).states.complete);
    o.bound = 2;
    const Outcomes all = of(t, *m, o, job);
    EXPECT_TRUE(all.states.complete);
    EXPECT_EQ(all.states.states.size(), 1u);
  }
}

}  // namespace
}  // namespace fencepost::check
