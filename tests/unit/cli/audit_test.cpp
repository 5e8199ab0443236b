// audit: what it finds, what it does not say, what is kept and what is known.
#include "cli/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/child.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "ran.h"

namespace fencepost::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string k_lock = R"(
__global__ void sum(int* lock, int* total, const int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  total[0] += 1;
  @FENCE@
  atomicExch(lock, 0);
}
)";

std::string with(std::string text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

class Audit : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string file(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(path(name), text));
    return path(name);
  }
  static Ran ran(std::vector<std::string> more) {
    std::vector<std::string> args = {"audit", "-j", "1"};
    if (std::find(more.begin(), more.end(), "--budget") == more.end()) args.insert(args.end(), {"--budget", "5s"});
    args.insert(args.end(), more.begin(), more.end());
    return run_with(args);
  }
  static json asked(std::vector<std::string> more) {
    more.emplace_back("--json");
    const Ran r = ran(more);
    const json j = json::parse(r.out, nullptr, false);
    EXPECT_TRUE(j.is_object()) << r.out << r.err;
    EXPECT_EQ(j["exit_code"], r.code);
    return j;
  }
  static std::vector<json> findings(const json& page, const std::string& kind) {
    std::vector<json> out;
    for (const json& f : page["files"])
      for (const json& k : f["kernels"])
        for (const json& x : k["findings"])
          if (x["kind"] == kind) out.push_back(x);
    return out;
  }
  static std::string open(const json& page) {
    std::string out;
    for (const json& f : page["files"])
      for (const json& k : f["kernels"])
        for (const json& o : k["not_decided"]) out += o.dump() + "\n";
    return out;
  }
  ScratchFolder folder_;
};

TEST_F(Audit, AKernelWithoutAnAccessIsNotCalledProved) {
  const Ran r = ran({file("e.cu", "__global__ void k(int *o) {\n#ifdef USE_X\no[0] = threadIdx.x;\n#endif\n}\n")});
  EXPECT_EQ(r.out.find("(proved)"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("none, for the kernel makes no access"), std::string::npos) << r.out;
}

TEST_F(Audit, ARaceIsConfirmedByARun) {
  const json j = asked({file("racy.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n")});
  const auto races = findings(j, "race");
  ASSERT_FALSE(races.empty());
  EXPECT_TRUE(races[0]["confirmed"]);
  EXPECT_EQ(races[0]["location"], path("racy.cu") + ":1:34");
  EXPECT_EQ(j["exit_code"], 1);
}

// A proof that rests on something is no plain "proved": the page has the sentences of prove.
TEST_F(Audit, WhatAProofRestsOnIsOnThePage) {
  const std::string flag =
      file("flag.cu",
           "__global__ void k(volatile int* f, int* d) {\n"
           "  if (threadIdx.x > 0) return;\n"
           "  if (blockIdx.x == 0) { d[0] = 1; __threadfence(); *f = 1; }\n"
           "  else if (blockIdx.x == 1) { while (*f != 1) {} __threadfence(); d[1] = d[0]; }\n}\n");
  const json j = asked({"--grid", "1.1.2", flag});
  const json& rows = j["files"][0]["kernels"][0]["proved"];
  ASSERT_FALSE(rows.empty()) << j;
  EXPECT_EQ(rows[0]["verdict"], "holds") << j;
  const std::string sentence = "volatile accesses to f are single and relaxed, as in PTX";
  EXPECT_NE(rows[0]["assumptions"].dump().find(sentence), std::string::npos) << j;
  const Ran r = ran({"--grid", "1.1.2", flag});
  EXPECT_NE(r.out.find("  proofs assume\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("    " + sentence + "\n"), std::string::npos) << r.out;
  const Ran html = ran({"--grid", "1.1.2", "--format", "html", flag});
  EXPECT_NE(html.out.find(sentence), std::string::npos) << html.out;
}

// Who are the threads, and which lines: without the file at hand.
TEST_F(Audit, FindingsNameTheThreadsAndQuoteTheLines) {
  const std::string racy =
      file("racy.cu", "__global__ void k(int* a) {\n  int v = a[1];\n  a[threadIdx.x] = v + 1;\n}\n");
  const json j = asked({racy});
  const auto races = findings(j, "race");
  ASSERT_FALSE(races.empty()) << j;
  EXPECT_NE(races[0]["accesses"].dump().find(" of block "), std::string::npos) << races[0];
  EXPECT_EQ(races[0]["source"].dump(),
            R"([{"line":2,"text":"  int v = a[1];"},{"line":3,"text":"  a[threadIdx.x] = v + 1;"}])")
      << races[0];
  EXPECT_NE(ran({racy}).out.find("            3 |   a[threadIdx.x] = v + 1;"), std::string::npos) << ran({racy}).out;
  // Cards, which need no width; what is not a finding is a list.
  const std::string html = ran({"--format", "html", racy}).out;
  EXPECT_NE(html.find("<article class=\"finding new\"><h3>race <span>"), std::string::npos) << html;
  EXPECT_NE(html.find("    3 |   a[threadIdx.x] = v + 1;"), std::string::npos) << html;
  EXPECT_EQ(html.find("<table>"), std::string::npos);
}

// What the file never launches with one block is not asked at one block, and what it launches with one not at two.
TEST_F(Audit, SmallLaunchesAreOfTheKindsThatTheFileMakes) {
  const std::string pair =
      "__global__ void pair(int* f, int* d) {\n  if (threadIdx.x != 0) return;\n"
      "  if (blockIdx.x == 0) { while (atomicAdd(f, 0) == 0) {} }\n  else atomicExch(f, 1);\n}\n";
  const std::string alone = "__global__ void alone(int* x) { x[threadIdx.x] += x[threadIdx.x + blockDim.x]; }\n";
  const json j = asked({file("two.cu", pair + alone +
                                           "int main() { int *f, *d; cudaMalloc(&f, 4096); cudaMalloc(&d, 4096);\n"
                                           "  pair<<<2, 32>>>(f, d); alone<<<1, 32>>>(d); }\n")});
  for (const json& x : findings(j, "may-hang"))
    EXPECT_EQ(x["launch"].get<std::string>().find("1 block"), std::string::npos) << x;
  EXPECT_TRUE(findings(j, "missing-order").empty()) << j;
  const std::string said = j["files"][0]["kernels"][1]["silent"].dump();
  EXPECT_NE(said.find("1 block of 2 threads"), std::string::npos) << said;
  EXPECT_EQ(said.find("2 blocks"), std::string::npos) << said;
}

TEST_F(Audit, OneKernelWithValuesOfItsParameters) {
  const std::string two = file("two.cu",
                               "__global__ void a(int* x, int n) { for (int i = 0; i < n; ++i) x[i] = 1; }\n"
                               "__global__ void b(int* y) { y[threadIdx.x] = 1; }\n");
  const json j = asked({"--entry", "a", "--input", "n = 2", "--grid", "1.1.2", two});
  ASSERT_EQ(j["files"][0]["kernels"].size(), 1u) << j;
  const json& k = j["files"][0]["kernels"][0];
  EXPECT_EQ(k["name"], "a");
  EXPECT_NE(k["assumptions"].dump().find("values of --input: n = 2"), std::string::npos) << k;
  EXPECT_EQ(open(j).find("iteration"), std::string::npos) << open(j);
  const Ran none = ran({"--entry", "c", two});
  EXPECT_EQ(none.code, k_exit_bad_input);
  EXPECT_NE(none.err.find("there is no kernel 'c'"), std::string::npos) << none.err;
  const Ran which = ran({"--input", "n = 2", two});
  EXPECT_EQ(which.code, k_exit_bad_input);
  EXPECT_NE(which.err.find("--entry a"), std::string::npos) << which.err;
  // A given bound ends where it says.
  const std::string more = file("more.cu", "__global__ void a(int* x, int n) { while (atomicAdd(x, 1) < n) {} }\n");
  const json bound = asked({"--entry", "a", "--bound", "1", "--grid", "1.1.2", more});
  EXPECT_NE(open(bound).find("1 iteration"), std::string::npos) << open(bound);
}

// Two threads of a block of two are in one warp on every device, which matters where a warp waits for its lanes.
TEST_F(Audit, KernelsThatSynchroniseWarpsAreAskedInWholeWarps) {
  const auto said = [&](const std::string& between) {
    return asked({file("warp.cu",
                       "__global__ void k(int* o, int* n) {\n  __shared__ int s[32];\n"
                       "  s[threadIdx.x] = threadIdx.x;\n  " +
                           between +
                           "\n  o[threadIdx.x] = s[threadIdx.x ^ 1];\n  atomicAdd(n, 1);\n}\n"
                           "int main() { k<<<1, 32>>>(0, 0); }\n")});
  };
  const json j = said("__syncwarp();");
  EXPECT_TRUE(findings(j, "missing-order").empty()) << j.dump(1);
  EXPECT_NE(j["files"][0]["kernels"][0]["silent"].dump().find("1 block of 2 threads in one warp"), std::string::npos);
  EXPECT_EQ(open(j), "") << j.dump(1);
  EXPECT_EQ(findings(said(""), "missing-order").size(), 1u);
}

// Atomic operations, fences and barriers that are in no execution that was asked about are no answer.
TEST_F(Audit, WhatNoSmallLaunchComesToIsNotDecided) {
  const auto said = [&](const std::string& thread) {
    return asked({file("far.cu", "__global__ void k(int* f, int* d) {\n  if (threadIdx.x == " + thread +
                                     ") {\n    atomicExch(f, 1);\n    __threadfence();\n  }\n}\n"
                                     "int main() { k<<<1, 64>>>(0, 0); }\n")});
  };
  const json j = said("40");
  EXPECT_NE(open(j).find("no small launch comes to lines 3, 4"), std::string::npos) << j.dump(1);
  EXPECT_NE(j["files"][0]["kernels"][0]["silent"].dump().find("1 block of 2 threads (lines 3, 4 not reached)"),
            std::string::npos)
      << j.dump(1);
  EXPECT_EQ(j["exit_code"], k_exit_undecided);
  EXPECT_EQ(open(said("1")).find("comes to line"), std::string::npos);
}

// An index `% n` says nothing with n = 0, which no host gives.
TEST_F(Audit, ParametersThatLeadToUndefinedBehaviourGetSmallValues) {
  const json j = asked({"--grid", "1.1.2",
                        file("mod.cu",
                             "__global__ void k(int* o, int n) {\n"
                             "  atomicAdd(&o[blockIdx.x % n], 1);\n}\n")});
  const json& k = j["files"][0]["kernels"][0];
  EXPECT_EQ(open(j).find("undefined behaviour"), std::string::npos) << j.dump(1);
  EXPECT_NE(k["assumptions"].dump().find("the host gives n = 2"), std::string::npos) << j.dump(1);
  EXPECT_NE(k["silent"].dump().find("missing order: none at 2 blocks of 1 thread"), std::string::npos) << j.dump(1);
}

namespace {

audit::Json proof_of(const char* threads) {
  return audit::Json::parse(std::string(R"({"verdict": "holds", "at": "k.cu:1:1", "findings": [], "assumptions": [],
                                            "launch": {"local_size": [)") +
                            threads + R"(], "num_groups": [1]}})");
}

}  // namespace

TEST_F(Audit, WhatAProofContradictsIsNotConfirmed) {
  const audit::Json small = audit::Json::parse(R"({"launch": "1.2.1", "orders": true, "races": {"verdict": "fails",
      "flag": "data-race", "confirmed": true, "accesses": [{"text": "R s[0]", "location": "k.cu:2:1", "thread": 0},
                                                           {"text": "W s[0]", "location": "k.cu:3:1", "thread": 1}]}})");
  const auto confirmed = [&](const char* threads) {
    const audit::Json k = audit::kernel_entry("k.cu", "k", {proof_of(threads)}, {small});
    EXPECT_EQ(k["findings"].size(), 1u) << k;
    return k["findings"][0].value("confirmed", false);
  };
  EXPECT_FALSE(confirmed("2"));
  EXPECT_FALSE(confirmed("\"*\""));
  EXPECT_TRUE(confirmed("32"));  // another launch
}

// Without atomic operations and fences there is nothing that a small launch could add to a proof.
TEST_F(Audit, AProofAnswersForOrderWhereNothingButBarriersOrders) {
  const auto open_questions = [](bool orders) {
    const audit::Json small = {{"launch", "1.2.1"}, {"orders", orders}, {"races", {{"verdict", "gave_up"}}}};
    return audit::kernel_entry("k.cu", "k", {proof_of("32")}, {small})["not_decided"].size();
  };
  EXPECT_EQ(open_questions(false), 0u);
  EXPECT_EQ(open_questions(true), 1u);
}

// The change is looked for in the text, and believed only where prove then has no such race.
TEST_F(Audit, ARaceOfProveComesWithTheChangeThatMendsIt) {
  const auto advice = [&](const std::string& body) {
    const json j = asked({file("mend.cu", "__global__ void k(int* o, int* n) {\n  __shared__ int s[64];\n" + body +
                                              "}\nint main() { k<<<2, 64>>>(0, 0); }\n")});
    const auto races = findings(j, "race");
    EXPECT_FALSE(races.empty()) << body;
    return races.empty() ? "" : races.front().value("advice", "");
  };
  EXPECT_EQ(advice("  s[threadIdx.x] = 1;\n  int v = s[63 - threadIdx.x];\n  atomicAdd(n, v);\n"),
            "smallest change: line 4: insert __syncthreads();");
  EXPECT_EQ(advice("  s[threadIdx.x] = 1;\n  if (threadIdx.x < 7)\n    atomicAdd(n, s[63 - threadIdx.x]);\n"),
            "smallest change: line 4: insert __syncthreads();");
  EXPECT_EQ(advice("  o[0] = threadIdx.x;\n"), "");
}

TEST_F(Audit, AMissingFenceComesWithTheChangeThatMendsIt) {
  const json j = asked({"--grid", "1.1.2", file("lock.cu", with(k_lock, "@FENCE@", ""))});
  const auto found = findings(j, "missing-order");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0]["confirmed"]);
  EXPECT_NE(found[0]["advice"].get<std::string>().find("line 8: insert atomic_thread_fence.release.device before"),
            std::string::npos)
      << found[0];
  EXPECT_EQ(found[0]["launch"], "2 blocks of 1 thread");
}

TEST_F(Audit, AFenceThatNothingNeedsIsSaidAndNoOther) {
  const json j =
      asked({"--grid", "1.1.2", file("lock.cu", with(k_lock, "@FENCE@", "__threadfence();\n  __threadfence();"))});
  EXPECT_TRUE(findings(j, "missing-order").empty());
  // Of two neighbours each can go, and not both: each is told alone.
  EXPECT_EQ(findings(j, "fence-not-needed").size(), 2u);
  for (const json& x : findings(j, "fence-not-needed"))
    EXPECT_NE(x["location"].get<std::string>().substr(path("lock.cu").size()), ":5:3");
  const json right = asked({"--grid", "1.1.2", file("right.cu", with(k_lock, "@FENCE@", "__threadfence();"))});
  EXPECT_TRUE(findings(right, "fence-not-needed").empty());
  EXPECT_EQ(right["files"][0]["kernels"][0]["fences"]["needed"], 2);
}

// No race needs these fences, and no thread waits: what they keep out is a final state.
TEST_F(Audit, AFenceThatKeepsOutAFinalStateIsNeeded) {
  const json j = asked({"--grid", "1.1.2", file("sb.cu", R"(
__global__ void sb(int* x, int* y, int* out) {
  if (blockIdx.x == 0) {
    atomicExch(x, 1);
    __threadfence();
    out[0] = atomicAdd(y, 0);
  } else {
    atomicExch(y, 1);
    __threadfence();
    out[1] = atomicAdd(x, 0);
  }
}
)")});
  EXPECT_TRUE(findings(j, "fence-not-needed").empty()) << j.dump(1);
  EXPECT_EQ(j["files"][0]["kernels"][0]["fences"]["needed"], 2);
}

TEST_F(Audit, AWaitForAnEarlierBlockHangsByOccupancyOnly) {
  const json j = asked({"--grid", "1.1.2", file("wait.cu", R"(
__global__ void wait(int* flag) {
  if (blockIdx.x == 0)
    atomicExch(flag, 1);
  else
    while (atomicAdd(flag, 0) == 0) {
    }
}
)")});
  const auto found = findings(j, "may-hang");
  ASSERT_EQ(found.size(), 1u) << j.dump(1);
  EXPECT_EQ(found[0]["progress"], "OBE");
  const json never = asked({"--grid", "1.1.2", file("never.cu", R"(
__global__ void wait(int* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
}
)")});
  ASSERT_EQ(findings(never, "may-hang").size(), 1u);
  EXPECT_EQ(findings(never, "may-hang")[0]["progress"], "FAIR");
}

TEST_F(Audit, NothingFoundIsZeroAndSaysWhere) {
  const Ran r =
      ran({file("clean.cu", "__global__ void k(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n")});
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_NE(r.out.find("missing order: none at 2 blocks of 1 thread; 1 block of 2 threads; 2 blocks of 2 threads"),
            std::string::npos)
      << r.out;
}

TEST_F(Audit, WhatIsNotSupportedIsNotDecidedByName) {
  const json j = asked({file("grid.cu", R"(
#include <cooperative_groups.h>
__global__ void k(int* a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}
)")});
  EXPECT_EQ(j["exit_code"], 3) << j.dump(1);
  EXPECT_NE(open(j).find("small launches"), std::string::npos);
  EXPECT_NE(open(j).find("grid"), std::string::npos);
}

TEST_F(Audit, AMissingBarrierIsAskedFor) {
  const std::string text = R"(// @Config: 1, 2, 1
__global__ void k(int* out) {
  __shared__ int s[2];
  s[threadIdx.x] = threadIdx.x;
  @FENCE@
  out[threadIdx.x] = s[1 - threadIdx.x];
}
)";
  const json j = asked({file("missing.cu", with(text, "@FENCE@", ""))});
  ASSERT_EQ(findings(j, "missing-order").size(), 1u) << j.dump(1);
  EXPECT_NE(findings(j, "missing-order")[0]["advice"].get<std::string>().find("is a barrier missing"),
            std::string::npos);
  // The launch that the file says is the one that prove is asked about: at others out[...] is written twice.
  const json right = asked({file("right.cu", with(text, "@FENCE@", "__syncthreads();"))});
  EXPECT_EQ(right["exit_code"], 0) << right.dump(1);
  EXPECT_EQ(right["files"][0]["kernels"][0]["proved"][0]["launch"], "blockDim=2, gridDim=1");
}

// prove and the readers of small launches may write the arguments of an instance in two ways: its symbol is one.
TEST_F(Audit, InstancesOfTemplatesAreAskedAtSmallLaunches) {
  const json j = asked({"--grid", "1.1.2", file("instances.cu", R"(
enum class Where { shared, global };
template <class T, Where W> __global__ void k(T* a) {
  a[W == Where::global ? blockIdx.x : 0] = blockIdx.x;
}
void host(int* a) {
  k<int, Where::shared><<<2, 1>>>(a);
  k<int, Where::global><<<2, 1>>>(a);
}
)")});
  ASSERT_EQ(j["files"][0]["kernels"].size(), 2u) << j.dump(1);
  EXPECT_EQ(open(j), "");
  EXPECT_EQ(findings(j, "missing-order").size(), 1u);
}

TEST_F(Audit, WritesOfOneValueAreToldSo) {
  const json j = asked({"--grid", "1.1.2", file("one.cu", R"(
__global__ void k(int* done, int* n) {
  if (atomicAdd(n, 0) == 0) done[0] = 1;
}
)")});
  ASSERT_EQ(findings(j, "missing-order").size(), 1u) << j.dump(1);
  EXPECT_NE(findings(j, "missing-order")[0]["advice"].get<std::string>().find("make the stores atomic"),
            std::string::npos);
}

TEST_F(Audit, WhatABoundEndsIsNotDecided) {
  const Ran r = ran({"--grid", "1.1.2", "--budget", "2s", file("many.cu", R"(
__global__ void k(int* next, int* sum, int n) {
  for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) atomicAdd(sum, i);
}
)")});
  EXPECT_EQ(r.code, 3) << r.out;
  const auto said = [&](const char* words) { return r.out.contains(words); };
  EXPECT_TRUE(said("order at small launches (2 blocks of 1 thread): ")) << r.out;
  // On a busy machine the process that asks is ended before it says how far it came.
  EXPECT_TRUE(said("nothing was found within ") || said("gave up")) << r.out;
  EXPECT_EQ(r.out.find("none found within"), std::string::npos) << r.out;
}

// Silence within bounds in which no execution ends is of beginnings alone.
TEST_F(Audit, WhereNoExecutionEndsItIsSaid) {
  audit::Json small = {{"launch", "1.1.3"},
                       {"orders", true},
                       {"races", {{"verdict", "unknown"}, {"detail", ""}, {"bound", 2}, {"none_complete", true}}},
                       {"fair", {{"verdict", "holds"}, {"detail", ""}}}};
  const std::string said = audit::kernel_entry("k.cu", "k", {}, {small}).dump();
  EXPECT_NE(said.find("nothing was found within 2 iterations"), std::string::npos) << said;
  EXPECT_NE(said.find("no execution ends within them"), std::string::npos) << said;
  small["races"].erase("none_complete");
  const std::string some = audit::kernel_entry("k.cu", "k", {}, {small}).dump();
  EXPECT_EQ(some.find("no execution ends"), std::string::npos) << some;
}

// Thread numbers are equal only where each block has one thread.
TEST_F(Audit, WritesThatAreEqualAtOneLaunchAloneAreNotToldToBeAtomic) {
  const json j = asked({"--grid", "1.1.2", file("ids.cu", R"(
__global__ void k(int* x) { x[0] = threadIdx.x; }
int main() { int* x; cudaMalloc(&x, 4); k<<<4, 64>>>(x); }
)")});
  ASSERT_FALSE(findings(j, "race").empty()) << j.dump(1);
  for (const json& f : findings(j, "missing-order")) {
    EXPECT_EQ(f["advice"].get<std::string>().find("make the stores atomic"), std::string::npos) << f.dump(1);
    EXPECT_NE(f["advice"].get<std::string>().find("at this launch"), std::string::npos) << f.dump(1);
  }
}

// Distinct places beyond the elements that a launch tells apart may share a cell: no race is called confirmed there.
TEST_F(Audit, ARaceBeyondTheElementsIsNotConfirmed) {
  const json j = asked({"--grid", "1.1.3", file("far.cu", R"(
__global__ void k(unsigned* next, int* out) {
  unsigned i = atomicAdd(next, 1u) * 16u;
  out[i] = (int)i;
}
)")});
  EXPECT_TRUE(findings(j, "missing-order").empty()) << j.dump(1);
  EXPECT_NE(open(j).find("a possible race is not confirmed"), std::string::npos) << j.dump(1);
}

// Such a counterexample is no end of the search: small values of the parameters that it chose do not lead so far.
TEST_F(Audit, ARaceBeyondTheElementsIsLookedForWithSmallValues) {
  const auto said = [&](const std::string& body) {
    return asked({"--grid", "1.1.2", file("last.cu", "__global__ void k(int* out, int n) { " + body + " }\n")});
  };
  const json j = said("if (n > 0) out[n - 1] = blockIdx.x;");
  ASSERT_EQ(findings(j, "missing-order").size(), 1u) << j.dump(1);
  EXPECT_NE(findings(j, "missing-order")[0].dump().find("(with n = 2)"), std::string::npos) << j.dump(1);
  EXPECT_EQ(open(j).find("beyond the elements"), std::string::npos) << j.dump(1);
  // With these there is none: that is told, and decides nothing.
  const json far = said("if (n > 1000) out[n - 1] = blockIdx.x;");
  EXPECT_TRUE(findings(far, "missing-order").empty()) << far.dump(1);
  EXPECT_NE(open(far).find("there is none with n = 2"), std::string::npos) << far.dump(1);
}

// A loop that counts to its end is no question of a bound; one that waits, or may step over its limit, is.
TEST_F(Audit, LoopsThatCountToTheirEndDoNotHang) {
  const auto said = [&](const std::string& loop) {
    return ran({"--grid", "1.1.2", "--budget", "2s",
                file("loop.cu", "__global__ void k(int* sum, int* a, int n, unsigned u) { " + loop +
                                    " }\nint main() { k<<<2, 32>>>(0, 0, 100, 100); }\n")});
  };
  const std::string ends = "may hang: not at any launch that was asked about";
  for (const std::string& loop : std::vector<std::string>{
           "for (int i = 0; i < 50; ++i) atomicAdd(sum, 1);", "for (int i = 0; i < n; i += 3) atomicAdd(sum, 1);",
           "for (unsigned i = 0; i < u; ++i) atomicAdd(sum, 1);", "for (int i = n; i > 0; i >>= 1) atomicAdd(sum, 1);",
           "for (unsigned i = 0; i != u; ++i) atomicAdd(sum, 1);",
           "int i = 50; do atomicAdd(sum, 1); while (--i >= 0);"}) {
    const Ran r = said(loop);
    EXPECT_NE(r.out.find(ends), std::string::npos) << loop << r.out << r.err;
    EXPECT_EQ(r.out.find("termination at small launches"), std::string::npos) << loop << r.out;
  }
  for (const std::string& loop : std::vector<std::string>{
           "while (atomicAdd(sum, 0) == 0) {}", "for (int i = 0; i < atomicAdd(a, 0); ++i) atomicAdd(sum, 1);",
           "for (unsigned i = 0; i != u; i += 2) atomicAdd(sum, 1);",
           "for (unsigned i = 0; i < u; i += 3) atomicAdd(sum, 1);",
           "for (unsigned i = 0; i <= u; ++i) atomicAdd(sum, 1);",
           "for (int i = n; i != 0; i >>= 1) atomicAdd(sum, 1);",
           "for (int i = 0; i < n; i += atomicAdd(a, 1)) atomicAdd(sum, 1);",
           "for (int i = 0; i < n;) if (atomicAdd(sum, 1)) ++i;",
           "for (int i = 0; i < 4; ++i) while (atomicAdd(sum, 0) == i) {}"})
    EXPECT_EQ(said(loop).out.find(ends), std::string::npos) << loop;
}

TEST_F(Audit, ABadFileIsBadInput) {
  const Ran r = ran({file("notes.txt", "nothing\n")});
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_EQ(ran({path("absent.cu")}).code, 2);
}

TEST_F(Audit, KnownFindingsAreSilencedByTheirText) {
  const std::string kernel = file("racy.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  EXPECT_EQ(ran({"--write-baseline", path("known"), kernel}).code, 1);
  EXPECT_EQ(ran({"--baseline", path("known"), kernel}).code, 0);
  file("racy.cu", "\n\n__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  const json moved = asked({"--baseline", path("known"), kernel});
  EXPECT_EQ(moved["exit_code"], 0);
  EXPECT_GT(moved["counts"]["known"], 0);
  EXPECT_EQ(moved["baseline"]["not_found"], 0);
  file("racy.cu", "__global__ void k(int* a) { a[1] = threadIdx.x; }\n");
  EXPECT_EQ(ran({"--baseline", path("known"), kernel}).code, 1);
  EXPECT_EQ(ran({"--baseline", file("no-baseline", "abc\n"), kernel}).code, 2);
  EXPECT_EQ(ran({"--baseline", file("cut", "# fencepost audit baseline 1\nabc\n"), kernel}).code, 2);
}

TEST_F(Audit, ADamagedAnswerIsNotBelieved) {
  const std::string kernel = file("lock.cu", with(k_lock, "@FENCE@", ""));
  const std::vector<std::string> words = {"--grid", "1.1.2", "--cache", path("cache"), kernel};
  const json first = asked(words);
  ASSERT_EQ(first["exit_code"], 1);
  std::vector<fs::path> kept;
  for (const auto& e : fs::directory_iterator(path("cache"))) kept.push_back(e.path());
  ASSERT_EQ(kept.size(), 5u);  // prove, three questions about one launch, and what mends the race
  EXPECT_EQ(asked(words)["files"], first["files"]);
  // Another text under a right name; a file that is cut; one answer in the place of another.
  for (const fs::path& p : kept) {
    std::ifstream in(p);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    for (size_t at = text.find("fails"); at != std::string::npos; at = text.find("fails", at))
      text.replace(at, 5, "holds");
    EXPECT_TRUE(write_file(p.string(), text));
  }
  EXPECT_EQ(asked(words)["exit_code"], 1);
  fs::resize_file(kept[0], 40);
  fs::resize_file(kept[1], 0);
  EXPECT_EQ(asked(words)["exit_code"], 1);
  for (size_t k = 1; k < kept.size(); ++k) fs::copy_file(kept[0], kept[k], fs::copy_options::overwrite_existing);
  EXPECT_EQ(asked(words)["files"], first["files"]);
}

TEST_F(Audit, KeptAnswersFollowIncludedFilesAndOptions) {
  file("inner.h", "#define PLACE 0\n");
  file("outer.h", "#include \"inner.h\"\n");
  const std::string kernel =
      file("k.cu", "#include \"outer.h\"\n__global__ void k(int* a) { a[PLACE] = threadIdx.x * TIMES; }\n");
  const auto code = [&](const std::string& times) {
    return ran({"--grid", "1.2.1", "--cache", path("cache"), "--define", "TIMES=" + times, kernel}).code;
  };
  EXPECT_EQ(code("1"), 1);
  EXPECT_EQ(code("0"), 0);  // writes of equal values
  file("inner.h", "#define PLACE threadIdx.x + blockIdx.x * blockDim.x\n");
  EXPECT_EQ(code("1"), 0);
  file("inner.h", "#define PLACE 0\n");
  EXPECT_EQ(code("1"), 1);
}

// An answer rests on the text of its model, wherever that lies, and on what the model includes.
TEST_F(Audit, KeptAnswersFollowTheModels) {
  const char* const before = std::getenv("FENCEPOST_MODELS");
  const std::string was = before != nullptr ? before : "";
  fs::copy(std::string(FENCEPOST_SOURCE_DIR) + "/models", path("models"), fs::copy_options::recursive);
  fs::create_directory(path("elsewhere"));
  file("elsewhere/unused.cat", "(* nothing *)\n");
  std::ifstream in(path("models") + "/cuda.cat");
  const std::string cuda((std::istreambuf_iterator<char>(in)), {});
  const std::string include = "include \"" + path("elsewhere") + "/unused.cat\"\n";
  file("models/cuda.cat", cuda + include);
  ::setenv("FENCEPOST_MODELS", path("models").c_str(), 1);
  const std::string kernel = file("lock.cu", with(k_lock, "@FENCE@", ""));
  const auto found = [&] {
    return findings(asked({"--grid", "1.1.2", "--cache", path("cache"), kernel}), "missing-order").size();
  };
  const auto kept = [&] { return std::distance(fs::directory_iterator(path("cache")), fs::directory_iterator()); };
  EXPECT_EQ(found(), 1u);
  const auto answers = kept();
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(kept(), answers);
  const size_t at = cuda.find("flag ~empty (conflict");
  ASSERT_NE(at, std::string::npos);
  std::string blind = cuda + include;
  blind.replace(at, cuda.find('\n', at) - at, "flag ~empty (0) as data-race");
  file("models/cuda.cat", blind);
  EXPECT_EQ(found(), 0u);
  file("models/cuda.cat", cuda + include);
  EXPECT_EQ(found(), 1u);
  const auto both = kept();
  file("elsewhere/unused.cat", "(* something *)\n");
  EXPECT_EQ(found(), 1u);
  EXPECT_GT(kept(), both);
  if (before != nullptr)
    ::setenv("FENCEPOST_MODELS", was.c_str(), 1);
  else
    ::unsetenv("FENCEPOST_MODELS");
}

const std::string k_message_cl = R"(
__kernel void mp(__global int* data, __global atomic_int* flag, __global int* out) {
  if (get_group_id(0) == 0 && get_local_id(0) == 0) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    data[0] = 42;
    atomic_store_explicit(flag, 1, @ORDER@, memory_scope_device);
  } else if (get_group_id(0) == 1 && get_local_id(0) == 0) {
    if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) out[0] = data[0];
  }
}
)";

// relax does not change kernels of the OpenCL model: the question is open, in every form of the page.
TEST_F(Audit, FencesThatAreNotAskedAreNotDecided) {
  const std::vector<std::string> words = {"--grid", "1.1.2",
                                          file("mp.cl", with(k_message_cl, "@ORDER@", "memory_order_release"))};
  const json j = asked(words);
  if (open(j).find("OpenCL C is compiled by") != std::string::npos) GTEST_SKIP() << "clang and llvm-spirv are absent";
  EXPECT_EQ(j["exit_code"], 3) << j.dump(1);
  EXPECT_NE(open(j).find("fences not needed"), std::string::npos) << j.dump(1);
  EXPECT_NE(open(j).find("OpenCL model is not known"), std::string::npos);
  for (const char* format : {"sarif", "junit", "html"}) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--format", format});
    const Ran r = ran(more);
    EXPECT_EQ(r.code, 3);
    EXPECT_NE(r.out.find("OpenCL model is not known"), std::string::npos) << format << r.out;
  }
  const Ran text = ran(words);
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.out.find("not decided\n    fences not needed (2 work-groups of 1 work-item): "), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("1 question not decided"), std::string::npos) << text.out;
  // Without fences and barriers there is nothing to ask.
  const std::string fence =
      "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n";
  const json none = asked(
      {"--grid", "1.1.2", file("none.cl", with(with(k_message_cl, "@ORDER@", "memory_order_release"), fence, ""))});
  EXPECT_EQ(open(none), "");
  EXPECT_EQ(none["exit_code"], 0);
}

TEST_F(Audit, AChangeThatWasNotLookedForIsNotOneThatWasNotFound) {
  const json j = asked({"--grid", "1.1.2", file("mp.cl", with(k_message_cl, "@ORDER@", "memory_order_relaxed"))});
  if (open(j).find("OpenCL C is compiled by") != std::string::npos) GTEST_SKIP() << "clang and llvm-spirv are absent";
  ASSERT_EQ(findings(j, "missing-order").size(), 1u) << j.dump(1);
  const std::string advice = findings(j, "missing-order")[0]["advice"];
  EXPECT_EQ(advice.find("was found"), std::string::npos) << advice;
  EXPECT_NE(advice.find("a change that mends it was not looked for: what could be weaker or stronger"),
            std::string::npos)
      << advice;
}

TEST_F(Audit, CiFormsHaveEveryFindingAndPassNothingOpen) {
  const std::string racy = file("racy.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  const json sarif = json::parse(ran({"--format", "sarif", racy}).out);
  const json& results = sarif["runs"][0]["results"];
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0]["ruleId"], "race");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file://" + racy);
  // RFC 3986: what is no letter, digit or one of a few signs is encoded.
  const std::string odd = file("we<ird> & name%.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  EXPECT_EQ(json::parse(ran({"--format", "sarif", odd}).out)["runs"][0]["results"][0]["locations"][0]
                                                            ["physicalLocation"]["artifactLocation"]["uri"],
            "file://" + path("we%3Cird%3E%20%26%20name%25.cu"));
  const std::string junit = ran({"--format", "junit", file("open.cu", R"(
__global__ void k(int* a) { a[0] = __builtin_nonsense(1); }
)")})
                                .out;
  EXPECT_NE(junit.find("<error"), std::string::npos) << junit;
  EXPECT_NE(ran({"--format", "html", racy}).out.find("<article "), std::string::npos);
  EXPECT_EQ(ran({"--write-baseline", path("known"), racy}).code, 1);
  const json known = json::parse(ran({"--baseline", path("known"), "--format", "sarif", racy}).out);
  EXPECT_EQ(known["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
}

TEST_F(Audit, PtxModulesAreAskedKernelByKernel) {
  const json j = asked({std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx-modules/ticket-relaxed-acquire.ptx"});
  ASSERT_EQ(findings(j, "missing-order").size(), 1u);
  EXPECT_NE(findings(j, "missing-order")[0]["advice"].get<std::string>().find("ld.acquire.gpu"), std::string::npos);
}

// A launch that an OpenCL C file says is that launch; a name that looks like one is none, and then any is meant.
TEST_F(Audit, OpenClCSaysItsLaunchInItsFirstLines) {
  const std::string body =
      "kernel void k(global int* restrict a) {\n  int my_size=get_global_id(0);\n  if (my_size < 64) a[my_size] = "
      "1;\n}\n";
  for (const std::string head :
       {"", "//pass\n//--local_size=64 --num_groups=64\n", "// --global_size=64 --local_size=64\n"}) {
    const json j = asked({"--grid", "1.1.2", file("k.cl", head + body)});
    EXPECT_EQ(j["exit_code"], 0) << head << j;
    EXPECT_EQ(j["files"][0]["kernels"].size(), 1u) << j;
  }
  const std::string apart =
      "kernel void k(global int* restrict a) {\n  a[get_global_id(0) % 64] = get_global_id(0);\n}\n";
  const json few = asked({"--grid", "1.1.2", file("few.cl", "//--local_size=64 --num_groups=1\n" + apart)});
  const json any = asked({"--grid", "1.1.2", file("any.cl", apart)});
  EXPECT_TRUE(findings(few, "race").empty()) << few;
  EXPECT_FALSE(findings(any, "race").empty()) << any;
}

// What there was no time for is listed, is no pass, and is not kept as an answer.
TEST_F(Audit, TheTotalBudgetIsOfTheCommand) {
  const std::string one =
      file("one.cu", "__global__ void k(int* a) { a[threadIdx.x + blockIdx.x * blockDim.x] = 1; }\n");
  const std::string two = file("two.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  const json cut = asked({"--total-budget", "1ms", "--cache", path("kept"), one, two});
  EXPECT_EQ(cut["exit_code"], 3);
  for (const json& f : cut["files"])
    EXPECT_NE(f.value("not_read", "").find("--total-budget of 0.001 s is spent"), std::string::npos) << f;
  const json whole = asked({"--total-budget", "1h", "--cache", path("kept"), one, two});
  EXPECT_FALSE(findings(whole, "race").empty()) << whole;
  EXPECT_EQ(whole["exit_code"], 1);
  EXPECT_EQ(asked({"--total-budget", "1ms", "--cache", path("kept"), one, two})["exit_code"], 1)
      << "kept answers cost no time";
}

// The ending of the output's name is its form, unless --format says another; text under a name of something else is a
// mistake.
TEST_F(Audit, TheNameOfTheOutputPicksTheForm) {
  const std::string racy = file("racy.cu", "__global__ void k(int* a) { a[0] = threadIdx.x; }\n");
  const auto begins = [&](std::vector<std::string> more, const std::string& name, const std::string& how) {
    more.insert(more.end(), {"--grid", "1.1.2", racy, "-o", path(name)});
    EXPECT_EQ(ran(more).code, 1) << name;
    const auto text = read_file(path(name));
    EXPECT_TRUE(text && (*text)->text.starts_with(how)) << name << ": " << (text ? (*text)->text.substr(0, 60) : "");
  };
  begins({}, "page.html", "<!DOCTYPE html>");
  begins({}, "page.json", "{");
  begins({}, "page.sarif", "{");
  begins({}, "page.xml", "<?xml");
  begins({}, "page.txt", path("racy.cu"));
  begins({"--json"}, "page2.html", "{");
  begins({"--format", "text"}, "page3.html", path("racy.cu"));
  const Ran r = ran({"--grid", "1.1.2", racy, "-o", path("page.pdf")});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("names no form of this answer"), std::string::npos) << r.err;
  EXPECT_FALSE(fs::exists(path("page.pdf")));
}

}  // namespace
}  // namespace fencepost::cli
