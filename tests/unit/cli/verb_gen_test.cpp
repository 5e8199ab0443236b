// gen and suite, in-process.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/generated.h"
#include "cli/verbs.h"
#include "nlohmann/json.hpp"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
std::string content(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

class Gen : public testing::Test {
 protected:
  Gen() {
    char name[] = "/tmp/fencepost-gen-XXXXXX";
    dir_ = mkdtemp(name);
  }
  ~Gen() override { fs::remove_all(dir_); }
  fs::path dir_;
};

TEST_F(Gen, OneTestIsPrinted) {
  const Ran r = run_with({"gen", "--cycle", "PodWW Rfe PodRR Fre", "--dialect", "PTX"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("PTX MP\n\"PodWW Rfe PodRR Fre\"\n")) << r.out;
  EXPECT_TRUE(has(r.out, "exists (1:r1=1 /\\ 1:r3=0)")) << r.out;
  EXPECT_EQ(run_with({"gen", "MP"}).out, r.out);
  for (const char* d : {"GPU_PTX", "VULKAN", "OPENCL"}) {
    const Ran other = run_with({"gen", "MP", "-d", d});
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_TRUE(other.out.starts_with(std::string(d) + " MP\n")) << other.out;
  }
}

// A name alone says weak accesses: with --access the answer says so.
TEST_F(Gen, NamesTheAccessThatItsNamesLeaveOut) {
  const Ran r =
      run_with({"gen", "--families", "SB", "--relations", "Fence.sc.gpu", "--access", "relaxed.gpu", "--decide"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "1 test with --access relaxed.gpu: 1 forbidden\n")) << r.out;
  const auto j = nlohmann::json::parse(run_with({"gen", "--families", "SB", "--access", "relaxed.gpu", "--json"}).out);
  EXPECT_EQ(j["access"], "relaxed.gpu");
}

TEST_F(Gen, DecidesAndFilters) {
  const Ran all = run_with({"gen", "--families", "MP", "--writes", "relaxed.gpu,release.gpu", "--reads",
                            "relaxed.gpu,acquire.gpu", "--decide"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(has(all.out, "16 tests: 12 allowed, 4 forbidden\n")) << all.out;
  const Ran minimal =
      run_with({"gen", "--families", "MP", "--writes", "weak,release.gpu", "--reads", "weak,acquire.gpu", "--minimal"});
  EXPECT_TRUE(has(minimal.out, "forbidden  MP+weak-po-release.gpu+acquire.gpu-po-weak\n")) << minimal.out;
  EXPECT_TRUE(has(minimal.out, "; 1 kept")) << minimal.out;
  const Ran scopes =
      run_with({"gen", "--cycle", "PodWW release.gpu Rfe acquire.gpu PodRR Fre", "--scopes", "all", "--decide"});
  EXPECT_TRUE(has(scopes.out, "3 tests: 1 allowed, 2 forbidden")) << scopes.out;
  const Ran separating =
      run_with({"gen", "--families", "all", "--threads", "2", "--access", "relaxed.sys", "--separating", "sc,ptx-7.5"});
  EXPECT_EQ(separating.code, 0) << separating.err;
  EXPECT_TRUE(has(separating.out, "forbidden/allowed SB\n")) << separating.out;
}

TEST_F(Gen, WritesFoldersAndJson) {
  const fs::path folder = dir_ / "tests";
  const Ran r =
      run_with({"gen", "--families", "SB,LB", "--relations", "Po,Fence.sc.gpu", "--forbidden", "-o", folder.string()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(fs::exists(folder / "SB+fence.sc.gpus.litmus"));
  const std::string index = content(folder / "index.csv");
  EXPECT_TRUE(
      has(index, "SB+fence.sc.gpus,Fence.sc.gpudWR Fre Fence.sc.gpudWR Fre,0.1,forbidden,SB+fence.sc.gpus.litmus\n"))
      << index;
  EXPECT_EQ(run_with({"check", (folder / "SB+fence.sc.gpus.litmus").string()}).code, 1);  // exists fails
  const auto j = nlohmann::json::parse(run_with({"gen", "SB", "LB", "--decide", "--json"}).out);
  EXPECT_EQ(j["schema"], "fencepost.gen/1");
  EXPECT_EQ(j["made"], 2);
  EXPECT_EQ(j["verdicts"]["allowed"], 2);
  EXPECT_EQ(j["tests"][0]["name"], "SB");
}

TEST_F(Gen, ThesisConfigurations) {
  const Ran r = run_with({"gen", "--thesis", "--decide", "--model", "rmo-scoped"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "MP+fence.sc.gpus\n"));          // two CTAs
  EXPECT_TRUE(has(r.out, "MP+fence.sc.ctas@01\n"));       // one CTA, global
  EXPECT_TRUE(has(r.out, "MP+fence.sc.ctas@01-xsys\n"));  // one CTA, shared
}

TEST_F(Gen, CoherenceByItsPublishedNames) {
  for (const char* dialect : {"PTX", "GPU_PTX", "VULKAN", "OPENCL"})
    for (const char* name : {"CoRW1", "CoRW2", "CoWR", "CoWW"}) {
      const Ran made = run_with({"gen", name, "-d", dialect});
      EXPECT_EQ(made.code, 0) << name << made.err;
      EXPECT_TRUE(has(made.out, std::string(dialect) + " " + name + "\n")) << made.out;
    }
  // A read may not see its thread's later write, nor an older one than its own.
  EXPECT_TRUE(has(run_with({"gen", "CoRW1", "CoRW2", "CoWR", "CoWW", "--access", "relaxed.gpu", "--decide"}).out,
                  "4 tests with --access relaxed.gpu: 4 forbidden\n"));
  EXPECT_TRUE(has(run_with({"gen", "CoWR", "MP", "--scopes", "01"}).out, "CoWR@01"));
  EXPECT_EQ(run_with({"gen", "CoWW", "--scopes", "01"}).code, 2);
  EXPECT_EQ(run_with({"gen", "CoWW", "--families", "MP"}).code, 2);
  EXPECT_EQ(run_with({"gen", "CoWW", "--thesis"}).code, 2);
  EXPECT_EQ(run_with({"gen", "CoWW", "--reads", "weak"}).code, 2);
}

TEST_F(Gen, FaultsExitTwoOrThree) {
  EXPECT_EQ(run_with({"gen"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP", "--cycle", "PodWW Rfe PodRR Fre"}).code, 2);
  const Ran typo = run_with({"gen", "--cycle", "PodWW Rfe PodRX Fre"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_TRUE(has(typo.err, "cycle:1:11: error:") && has(typo.err, "did you mean PodRR?")) << typo.err;
  EXPECT_EQ(run_with({"gen", "MQ"}).code, 2);
  EXPECT_EQ(run_with({"gen", "--families", "MP,XX"}).code, 2);
  EXPECT_EQ(run_with({"gen", "--families", "MP", "--relations", "Fense.sc.gpu"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP", "--reads", "relaxed.gpu"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP@01", "--scopes", "0.1"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP", "--scopes", "0.2"}).code, 2);
  EXPECT_EQ(run_with({"gen", "--thesis", "--scopes", "all"}).code, 2);
  EXPECT_TRUE(has(run_with({"gen", "MP", "SB", "--scopes", "all"}).out, "6 tests\n"));
  EXPECT_EQ(run_with({"gen", "MP", "--allowed", "--minimal"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP", "--separating", "sc"}).code, 2);
  EXPECT_EQ(run_with({"gen", "MP", "--decide", "--model", "vulkan"}).code, 2);
  const Ran lacks = run_with({"gen", "MP+fence.sc.gpus", "-d", "VULKAN"});
  EXPECT_EQ(lacks.code, 3);
  EXPECT_TRUE(has(lacks.err, "not in VULKAN")) << lacks.err;
  EXPECT_EQ(run_with({"suite", "-d", "GPU_PTX"}).code, 3);
  EXPECT_EQ(run_with({"gen", "MP", "-o", "/dev/null/x"}).code, 2);
}

TEST_F(Gen, SuiteWritesTestsReasonsAndMutants) {
  const fs::path folder = dir_ / "suite";
  const Ran r = run_with({"suite", "--dialect", "VULKAN", "--families", "MP", "--mutants", "-o", folder.string()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "still forbidden")) << r.out;
  size_t tests = 0, reasons = 0, mutants = 0;
  for (const auto& e : fs::directory_iterator(folder)) {
    tests += e.path().extension() == ".litmus";
    reasons += e.path().string().ends_with(".why.txt");
    if (e.path().string().ends_with(".why.txt")) {
      EXPECT_TRUE(has(content(e.path()), "rejected by axiom")) << e.path();
    }
  }
  for (const auto& e : fs::directory_iterator(folder / "mutants")) mutants += e.path().extension() == ".litmus";
  EXPECT_GE(tests, 6u);
  EXPECT_EQ(tests, reasons);
  EXPECT_GE(mutants, tests);
  // Every test of the suite holds (~exists), and so does every mutant (exists): below these bases all are allowed.
  EXPECT_EQ(run_with({"check", folder.string()}).code, 0);
  std::istringstream table(content(folder / "mutants.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "test,mutator,change,verdict,file");
  const auto j = nlohmann::json::parse(run_with({"suite", "--dialect", "VULKAN", "--families", "LB", "--json"}).out);
  EXPECT_EQ(j["schema"], "fencepost.suite/1");
  EXPECT_EQ(j["tests"][0]["kind"], "minimal");
  EXPECT_FALSE(j["tests"][0]["reason"].get<std::string>().empty());
}

TEST(Csv, QuotesWhatNeedsIt) { EXPECT_EQ(csv_line({"a", "b,c", "d\"e", ""}), "a,\"b,c\",\"d\"\"e\",\n"); }

}  // namespace
