// SARIF and JUnit: what is decided, what is not, and what cannot be read.
#include "cli/ci_forms.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/child.h"
#include "base/read_file.h"
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
  const json& notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["level"], "error");
  EXPECT_EQ(notes[0]["message"], bad["message"]);
  EXPECT_EQ(notes[0]["locations"], bad["locations"]);
  for (const json& result : run["results"]) {
    bool known = false;
    for (const json& rule : run["tool"]["driver"]["rules"]) known = known || rule["id"] == result["ruleId"];
    EXPECT_TRUE(known) << result["ruleId"];
  }
}

// An operand that names nothing leaves a document too, of which the text on standard error is the other half.
TEST_F(CiForms, AMissingOperandIsAnAnswerInEveryForm) {
  for (const char* verb : {"check", "audit", "expect"}) {
    const std::string gone = path("nowhere") + (std::string(verb) == "audit" ? ".cu" : ".litmus");
    const Ran text = run_with({verb, gone});
    EXPECT_EQ(text.out, "") << verb;
    const auto as = [&](const char* form) {
      Ran r = run_with({verb, "--format", form, gone});
      EXPECT_EQ(r.code, text.code) << verb << form;
      EXPECT_EQ(r.err, text.err) << verb << form;
      return r.out;
    };
    const json sarif = json::parse(as("sarif")), object = json::parse(as("json"));
    ASSERT_EQ(sarif["runs"][0]["results"].size(), 1u) << verb;
    EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "input") << verb;
    EXPECT_EQ(sarif["runs"][0]["invocations"][0]["exitCode"], text.code) << verb;
    EXPECT_EQ(object["schema"], "fencepost.error/1") << verb;
    EXPECT_EQ(object["path"], gone) << verb;
    EXPECT_NE(as("junit").find("<error type=\"input\""), std::string::npos) << verb;
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

// The verb prove over files, one of which is no kernel; in each form an answer for each kernel, and for what is not
// read.
class CiFormsOfProve : public CiForms {
 protected:
  CiFormsOfProve() {
    EXPECT_TRUE(write_file(path("right.cl"), "kernel void right(global int *a) { a[get_global_id(0)] = 1; }\n"));
    EXPECT_TRUE(write_file(path("racy.cl"), "kernel void racy(global int *a) { a[0] = get_global_id(0); }\n"));
    EXPECT_TRUE(write_file(path("bad.cl"), "kernel void bad(global int *a) { a[ = 1; }\n"));
  }
  Ran prove(const std::vector<std::string>& options, const std::vector<std::string>& files) const {
    std::vector<std::string> args = {"prove", "--local_size=4", "--num_groups=2"};
    args.insert(args.end(), options.begin(), options.end());
    for (const std::string& f : files) args.push_back(path(f));
    return run_with(args);
  }
  void SetUp() override {
    if (prove({}, {"right.cl"}).code == k_exit_undecided) GTEST_SKIP() << "built without clang 19";
  }
};

TEST_F(CiFormsOfProve, SeveralFilesHaveOneAnswerEachAndTheWorstStatus) {
  const Ran text = prove({}, {"right.cl", "racy.cl"});
  EXPECT_EQ(text.code, k_exit_fails);
  EXPECT_NE(text.out.find("Verified: " + path("right.cl")), std::string::npos) << text.out;
  EXPECT_NE(text.err.find(path("racy.cl") + ": error: possible write-write race"), std::string::npos) << text.err;
  EXPECT_EQ(prove({}, {"right.cl", "racy.cl", "bad.cl"}).code, k_exit_bad_input);
  EXPECT_EQ(prove({}, {"right.cl", "right.cl"}).code, k_exit_holds);
  const json all = json::parse(prove({"--json"}, {"right.cl", "racy.cl", "bad.cl"}).out);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["answer"], "verified");
  EXPECT_EQ(all[1]["answer"], "defect");
  EXPECT_EQ(all[2]["answer"], "bad_input");
  const json sarif = json::parse(prove({"--format=sarif"}, {"right.cl", "racy.cl"}).out);
  ASSERT_EQ(sarif["runs"].size(), 2u);
  EXPECT_NE(sarif["runs"][1].dump().find("racy.cl"), std::string::npos);
  EXPECT_EQ(prove({"--format=html"}, {"right.cl", "racy.cl"}).code, k_exit_bad_input);
  EXPECT_EQ(prove({"--untrusted"}, {"right.cl", "racy.cl"}).code, k_exit_bad_input);
}

// A file that cannot be read is a notification of the tool, beside the runs of the others.
TEST_F(CiFormsOfProve, SarifNamesFilesThatCannotBeRead) {
  const json all = json::parse(prove({"--format=sarif"}, {"right.cl", "nowhere.cl"}).out);
  ASSERT_EQ(all["runs"].size(), 2u);
  const json& notes = all["runs"][1]["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["level"], "error");
  EXPECT_NE(notes[0]["message"]["text"].get<std::string>().find("nowhere.cl"), std::string::npos);
  EXPECT_EQ(notes[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file://" + path("nowhere.cl"));
}

// A worker that is out of memory prints nothing; who reads the output gets an answer in the form that was asked for.
TEST_F(CiFormsOfProve, WhoRunsOutOfMemoryHasAnAnswerInEachForm) {
  std::string text = "#define A0 1,\n";
  for (int k = 1; k <= 6; ++k) {
    text += "#define A" + std::to_string(k);
    for (int n = 0; n < 10; ++n) text += " A" + std::to_string(k - 1);
    text += "\n";
  }
  ASSERT_TRUE(write_file(path("big.cl"),
                         text + "constant int t[] = { A6 };\nkernel void big(global int *a) { a[0] = t[0]; }\n"));
  for (const std::vector<std::string>& form : {std::vector<std::string>{"--json"}, {"--format", "json"}}) {
    std::vector<std::string> options = form;
    options.push_back("--memory=64M");
    const Ran r = prove(options, {"big.cl"});
    EXPECT_EQ(r.code, k_exit_undecided);
    ASSERT_TRUE(json::accept(r.out)) << r.out;
    EXPECT_EQ(json::parse(r.out)["answer"], "gave_up");
  }
  const Ran r = prove({"--format=sarif", "--memory=64M"}, {"big.cl"});
  EXPECT_EQ(r.code, k_exit_undecided);
  ASSERT_TRUE(json::accept(r.out)) << r.out;
  const json result = json::parse(r.out)["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "undecided");
  EXPECT_EQ(result["level"], "warning");
}

TEST_F(CiFormsOfProve, WhatHasNoTimeLeftIsNotDecided) {
  const Ran r = prove({"--budget=0.000001", "--format=junit"}, {"right.cl", "racy.cl"});
  EXPECT_EQ(r.code, k_exit_undecided) << r.out;
  EXPECT_NE(r.out.find("tests=\"2\" failures=\"0\" errors=\"2\""), std::string::npos) << r.out;
}

TEST_F(CiFormsOfProve, JunitHasACaseForEachKernelAndWhatIsNotRead) {
  const Ran r = prove({"--format", "junit"}, {"right.cl", "racy.cl", "bad.cl"});
  EXPECT_EQ(r.code, k_exit_bad_input);
  EXPECT_NE(r.out.find("<testsuite name=\"fencepost prove\" tests=\"3\" failures=\"1\" errors=\"1\""),
            std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("name=\"right, local_size=4, num_groups=2, race\""), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("<failure type=\"fails\" message=\"racy: possible write-write race on a[0] (confirmed by a run"),
            std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("<error type=\"input\""), std::string::npos) << r.out;
  // The ending of the file picks the form, and one file is enough.
  const std::string file = path("answers.xml");
  EXPECT_EQ(prove({"-o", file}, {"racy.cl"}).code, k_exit_fails);
  const auto written = read_file(file);
  ASSERT_TRUE(written);
  EXPECT_NE((*written)->text.find("failures=\"1\""), std::string::npos);
}

TEST_F(CiForms, ExpectListsEveryLine) {
  EXPECT_TRUE(write_file(path("wrong.expect"), "ptx-7.5 condition holds\nptx-7.5 races holds\n"));
  const Ran r = run_with({"expect", "--format", "junit", path("wrong.litmus")});
  EXPECT_EQ(r.code, k_exit_fails);
  EXPECT_NE(r.out.find("<testsuite name=\"fencepost expect\" tests=\"2\" failures=\"1\" errors=\"0\""),
            std::string::npos)
      << r.out;
  const json all = json::parse(run_with({"expect", "--format", "sarif", path("wrong.litmus")}).out);
  const json& results = all["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[0]["ruleId"], "expected");
  EXPECT_EQ(results[1]["kind"], "pass");
}

// The pre-commit hook shows this line: it begins with the file, and names no model of a file that was not read.
TEST_F(CiForms, ExpectNamesAFileThatIsNotRead) {
  EXPECT_TRUE(write_file(path("bad.expect"), "ptx-7.5 condition holds\n"));
  const Ran r = run_with({"expect", path("bad.litmus")});
  EXPECT_EQ(r.code, k_exit_fails);
  EXPECT_TRUE(r.out.starts_with(path("bad.litmus") + ":4:")) << r.out;
  EXPECT_EQ(r.out.find("(, )"), std::string::npos) << r.out;
}

TEST_F(CiForms, ALaunchOfOneThreadIsSaidToHaveNoRace) {
  const Ran r = run_with({"check", "-p", "races", path("wrong.litmus")});
  EXPECT_EQ(r.code, k_exit_holds);
  EXPECT_NE(r.err.find("note: the launch has one thread"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace fencepost::cli
