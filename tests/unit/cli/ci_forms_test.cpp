// SARIF and JUnit: what is decided, what is not, and what cannot be read.
#include "cli/ci_forms.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/child.h"
#include "base/write_file.h"
#include "cli/console.h"
#include "ran.h"

namespace fencepost::cli {
namespace {

using nlohmann::json;
const std::string k_root = FENCEPOST_SOURCE_DIR;

class CiForms : public testing::Test {
 protected:
  CiForms() {
    EXPECT_TRUE(write_file(path("bad.litmus"), "PTX bad\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n nonsense x ;\n"));
    EXPECT_TRUE(write_file(path("open.litmus"),
                           "PTX open\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n L: ;\n ld.relaxed.gpu r0, x ;\n bne r0, 1, L ;\n"
                           "~exists (P0:r0 = 2)\n"));
    EXPECT_TRUE(write_file(path("wrong.litmus"),
                           "PTX wrong\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, x ;\n~exists (P0:r0 = 0)\n"));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  Ran ran(const std::string& form) const {
    return run_with({"check", "--format", form, k_root + "/examples/ptx/MP.litmus", path("wrong.litmus"),
                     path("open.litmus"), path("bad.litmus")});
  }
  ScratchFolder folder_;
};

TEST_F(CiForms, SarifHasAResultForEachAnswer) {
  const Ran r = ran("sarif");
  const json all = json::parse(r.out);
  EXPECT_EQ(all["version"], "2.1.0");
  const json& run = all["runs"][0];
  ASSERT_EQ(run["results"].size(), 4u);
  const json &held = run["results"][0], &failed = run["results"][1], &open = run["results"][2],
             &bad = run["results"][3];
  EXPECT_EQ(held["kind"], "pass");
  EXPECT_EQ(held["level"], "none");
  EXPECT_EQ(failed["kind"], "fail");
  EXPECT_EQ(failed["level"], "error");
  EXPECT_EQ(failed["ruleId"], "condition");
  const json& place = failed["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file://" + path("wrong.litmus"));
  EXPECT_EQ(place["region"]["startLine"], 5);
  EXPECT_EQ(open["level"], "warning");
  EXPECT_EQ(open["ruleId"], "undecided");
  EXPECT_EQ(bad["level"], "error");
  EXPECT_EQ(bad["ruleId"], "input");
  EXPECT_EQ(bad["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
  EXPECT_EQ(run["invocations"][0]["exitCode"], r.code);
  for (const json& result : run["results"]) {
    bool known = false;
    for (const json& rule : run["tool"]["driver"]["rules"]) known = known || rule["id"] == result["ruleId"];
    EXPECT_TRUE(known) << result["ruleId"];
  }
}

// A '#' of a name is no '#' between a file and its test.
TEST_F(CiForms, PathsMayHaveTheSignOfATest) {
  const std::string odd = path("a#1.litmus");
  ASSERT_TRUE(
      write_file(odd, "PTX wrong\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, x ;\nexists (P0:r0 = 1)\n"));
  const json all = json::parse(run_with({"check", "--format", "sarif", odd}).out);
  EXPECT_EQ(all["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file://" + path("a%231.litmus"));
}

// A question that an option asks stands in no file: the program's own is shown, and the answer names it.
TEST_F(CiForms, AQuestionOfAnOptionIsShownInTheFile) {
  const std::string shader = k_root + "/examples/glsl/caslock.comp";
  const json all = json::parse(run_with({"check", "--format", "sarif", "--condition", "forall (x == 3)", shader}).out);
  const json& result = all["runs"][0]["results"][0];
  EXPECT_NE(result["message"]["text"].get<std::string>().find(shader), std::string::npos) << result;
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file://" + shader);
  EXPECT_GT(place["region"]["startLine"], 1);
  const std::string xml = run_with({"check", "--format", "junit", "--condition", "forall (x == 3)", shader}).out;
  EXPECT_NE(xml.find(shader + ":"), std::string::npos) << xml;
}

// A race is at its two accesses, not where the condition stands.
TEST_F(CiForms, ARaceIsAtItsAccesses) {
  const std::string file = path("race.cu");
  ASSERT_TRUE(write_file(file,
                         "// @Config: 1, 1, 2\n// @Output: forall (x[0] == 0)\n__global__ void k(int *x, int *y) {\n"
                         "  if (blockIdx.x == 0)\n    x[0] = 1;\n  else\n    y[0] = x[0];\n}\n"));
  const json all = json::parse(run_with({"check", "--format", "sarif", "-p", "races", file}).out);
  const json& result = all["runs"][0]["results"][0];
  std::set<int> lines;
  lines.insert(result["locations"][0]["physicalLocation"]["region"]["startLine"].get<int>());
  lines.insert(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"].get<int>());
  EXPECT_EQ(lines, (std::set<int>{5, 7})) << result;
  EXPECT_NE(result["message"]["text"].get<std::string>().find("W x"), std::string::npos) << result;
}

// What never ends is shown where it repeats.
TEST_F(CiForms, ALoopWithoutEndIsAtItsAccess) {
  const std::string file = path("spin.cu");
  ASSERT_TRUE(write_file(file,
                         "#include <cuda/atomic>\n// @Config: 1, 1, 1\n__global__ void k(int *x) {\n"
                         "  cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]);\n  while "
                         "(a.load(cuda::memory_order_relaxed) == 0)\n    ;\n}\n"));
  const json all = json::parse(run_with({"check", "--format", "sarif", "-p", "termination", file}).out);
  const json& result = all["runs"][0]["results"][0];
  EXPECT_EQ(result["level"], "error") << result;
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 5) << result;
}

TEST_F(CiForms, JunitNeverPassesWhatIsNotDecided) {
  const std::string xml = ran("junit").out;
  EXPECT_NE(xml.find("tests=\"4\" failures=\"1\" errors=\"2\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<failure type=\"fails\""), std::string::npos);
  EXPECT_NE(xml.find("<error type=\"undecided\""), std::string::npos);
  EXPECT_NE(xml.find("<error type=\"input\""), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(CiFormsAlone, TextIsEscaped) {
  const std::string xml = junit_of("check", {R"({"schema": "fencepost.error/1", "path": "a<b>&\"c\".litmus",
    "diagnostics": [{"severity": "error", "unsupported": true, "location": "", "message": "x < y"}]})"});
  EXPECT_NE(xml.find("classname=\"a&lt;b&gt;&amp;&quot;c&quot;.litmus\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("message=\"x &lt; y\""), std::string::npos);
  EXPECT_NE(xml.find("<error type=\"undecided\""), std::string::npos);
}

TEST(CiFormsAlone, NoOtherForm) {
  EXPECT_EQ(run_with({"check", "--format", "xml", k_root + "/examples/ptx/MP.litmus"}).code, k_exit_bad_input);
}

}  // namespace
}  // namespace fencepost::cli
