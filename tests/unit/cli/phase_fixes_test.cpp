// What `relax` says of pipelines over the async proxy that lack a proxy fence, bytes or a flip of the parity, and under
// which readings the change is enough.
#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace fencepost::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string example(const std::string& name) {
  return std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/" + name + ".litmus";
}

TEST(PhaseFixes, MissingBytesAreExpected) {
  const Ran r = run_with({"relax", "--forbid", example("pipeline-no-expect")});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "phases: 1 change of mbarrier operations")) << r.out;
  EXPECT_TRUE(has(r.out,
                  ":8  P0: mbarrier.arrive.shared::cta.b64 _, [f]  -> "
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 16\n"))
      << r.out;
  EXPECT_TRUE(has(r.out, "readings: the changes of phases are not enough under P2=strict, P3=issuer\n")) << r.out;
}

TEST(PhaseFixes, AForgottenFlipIsMade) {
  const Ran r = run_with({"relax", "--forbid", example("pipeline-no-flip")});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out,
                  "P1: mbarrier.test_wait.parity.shared::cta.b64 r2, [f], 0  -> "
                  "mbarrier.test_wait.parity.shared::cta.b64 r2, [f], 1\n"))
      << r.out;
}

TEST(PhaseFixes, EachStageOfAPipelineIsMended) {
  const Ran bytes = run_with({"relax", example("two-stage-pipeline-no-expect")});
  EXPECT_TRUE(has(bytes.out, "phases: 4 changes of mbarrier operations, each needed, make it hold\n")) << bytes.out;
  const Ran flip = run_with({"relax", example("two-stage-pipeline-no-flip")});
  EXPECT_TRUE(has(flip.out, "phases: 2 changes of mbarrier operations, each needed, make it hold\n")) << flip.out;
  EXPECT_TRUE(has(flip.out, "P2, P3, P4, P5: mbarrier.try_wait.parity.shared::cta.b64 r13, [f1], 0  -> ")) << flip.out;
}

TEST(PhaseFixes, EachStageGetsItsProxyFence) {
  const Ran r = run_with({"relax", example("two-stage-pipeline-no-fence")});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "fails; 2 fixes with 2 changes")) << r.out;
  for (const char* stage : {"e0", "e1"})
    EXPECT_TRUE(has(r.out, std::string("P2, P3, P4, P5: before mbarrier.arrive.shared::cta.b64 _, [") + stage +
                               "]  insert fence.proxy.async\n"))
        << r.out;
  EXPECT_TRUE(has(r.out, "readings: fix 1 is not enough under P2=strict, P3=issuer\n")) << r.out;
  EXPECT_TRUE(has(r.out, "readings: fix 2 is not enough under P2=strict, P3=writer\n")) << r.out;
  EXPECT_FALSE(has(r.out, "phases:")) << r.out;
}

// A test that is right, and one whose fault is elsewhere, have no fix of phases.
TEST(PhaseFixes, NothingIsChangedWithoutNeed) {
  for (const char* name : {"pipeline-no-fence", "bulk-does-not-carry", "MP+mbarrier-wait.relaxed"})
    EXPECT_FALSE(has(run_with({"relax", "--forbid", example(name)}).out, "phases:")) << name;
  EXPECT_FALSE(has(run_with({"relax", example("two-stage-pipeline")}).out, "phases:"));
}

}  // namespace
}  // namespace fencepost::cli
