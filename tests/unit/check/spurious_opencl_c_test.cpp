// Weak compare-exchanges of OpenCL C: the translator makes their success a comparison with what was expected, which
// says no where the exchange has failed spuriously.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

std::string verdict(const std::string& text, bool spurious = true) {
  spirv::LaunchOptions launch;
  launch.spurious = spurious;
  const auto tests = read::parse(make_source("t.cl", text), launch);
  if (!tests) {
    ADD_FAILURE() << render(tests.error());
    return "";
  }
  const prog::Test& t = tests->front();
  const auto taken =
      std::find(t.assumptions.begin(), t.assumptions.end(), "weak compare-exchanges do not fail spuriously");
  EXPECT_EQ(taken != t.assumptions.end(), !spurious && text.contains("_weak_"));
  const auto model = cat::load_model(cat::default_model(t.dialect), t.dialect);
  std::set<std::string> said;
  for (const check::Engine e : {check::Engine::enumerate, check::Engine::solve}) {
    check::Options o;
    o.engine = e;
    o.bound = 2;
    Job job;
    said.insert(name(check::check(t, *model, o, job).verdict.status));
  }
  EXPECT_EQ(said.size(), 1u) << "the engines disagree";
  return *said.begin();
}

std::string kernel(const std::string& strength, const std::string& question) {
  return "// @Config: 1, 1, 1\n// @Output: " + question +
         "\nkernel void k(global int* o, global atomic_int* f) {\n  int e = 0;\n  o[0] = atomic_compare_exchange_" +
         strength + "_explicit(f, &e, 2, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);\n" +
         "  o[1] = e;\n}\n";
}

TEST(OpenClCWeakExchange, MayFailSpuriously) {
  const auto installed = read::parse(make_source("t.cl", kernel("strong", "exists (o[0] == 0)")));
  if (!installed && render(installed.error()).contains("not installed"))
    GTEST_SKIP() << "clang-15 and llvm-spirv-15 are not installed: OpenCL C was NOT tested";
  EXPECT_EQ(verdict(kernel("strong", "exists (o[0] == 0)")), "fails");
  EXPECT_EQ(verdict(kernel("weak", "forall (o[0] == 1)")), "fails");
  EXPECT_EQ(verdict(kernel("weak", "exists (o[0] == 0 and o[1] == 0 and f[0] == 0)")), "holds");
  EXPECT_EQ(verdict(kernel("weak", "exists (o[0] == 1 and f[0] == 0)")), "fails");
  EXPECT_EQ(verdict(kernel("weak", "exists (o[0] == 0 and f[0] == 2)")), "fails");
  EXPECT_EQ(verdict(kernel("weak", "forall (o[0] == 1)"), false), "holds");
}

}  // namespace
}  // namespace fencepost
