// Verbs on small files of their own, in-process; and the program as a process where only that tells.
#include "cli/verbs.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

// A shell command line; its standard output and exit code.
Ran shell(const std::string& command) {
  Ran r;
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.out.append(buffer, n);
  const int status = pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

// Message passing between two blocks; `order` is "release" and "acquire" or twice "relaxed".
std::string mp(const std::string& store, const std::string& load, const std::string& question) {
  return "PTX mp\n{ x=0; flag=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld." + load +
         ".gpu r0, flag ;\n st." + store + ".gpu flag, 1 | ld.weak r1, x ;\n" + question +
         " (P1:r0 = 1 /\\ P1:r1 = 0)\n";
}

const char* const k_racy_source =
    "OPENCL racy\n{ x=0; }\nP0@wg 0, dev 0 (global int* x) {\n  *x = 1;\n}\nP1@wg 1, dev 0 (global int* x) {\n"
    "  int r0 = *x;\n}\nexists (P1:r0 = 1)\n";

class Verbs : public testing::Test {
 protected:
  Verbs() {
    char name[] = "/tmp/fencepost-cli-XXXXXX";
    dir_ = mkdtemp(name);
    synced_ = write("synced.litmus", mp("release", "acquire", "exists"));
    never_ = write("never.litmus", mp("release", "acquire", "~exists"));
    relaxed_ = write("sub/relaxed.litmus", mp("relaxed", "relaxed", "exists"));
  }
  ~Verbs() override { fs::remove_all(dir_); }

  std::string at(const std::string& name) const { return (fs::path(dir_) / name).string(); }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path p = fs::path(dir_) / name;
    fs::create_directories(p.parent_path());
    std::ofstream(p) << text;
    return p.string();
  }

  std::string dir_, synced_, never_, relaxed_;
};

size_t lines(const std::string& s) { return static_cast<size_t>(std::count(s.begin(), s.end(), '\n')); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_F(Verbs, CheckAnswersPerTestAndExitsWithTheWorst) {
  EXPECT_EQ(run_with({"check", never_}).code, 0);
  EXPECT_EQ(run_with({"check", relaxed_}).code, 0);
  EXPECT_EQ(run_with({"check", synced_}).code, 1);
  const Ran all = run_with({"check", dir_});
  EXPECT_EQ(all.code, 1);
  EXPECT_EQ(all.err, "");
  ASSERT_EQ(lines(all.out), 3u);
  EXPECT_LT(all.out.find("never.litmus"), all.out.find("sub/relaxed.litmus"));
  EXPECT_LT(all.out.find("sub/relaxed.litmus"), all.out.find("synced.litmus"));
  for (const char* jobs : {"-j1", "-j2", "-j8"}) EXPECT_EQ(run_with({"check", jobs, dir_}).out, all.out);
  for (const char* engine : {"enumerate", "solve", "both"})
    EXPECT_EQ(run_with({"check", "--engine", engine, dir_}).code, 1);
}

TEST_F(Verbs, CheckReportsBadInputAndGoesOn) {
  write("broken.litmus", "PTX broken\n{ x=0 }\n P0@cta 0,gpu 0 ;\n ld.acquire r0, x ;\nexists (P0:r0=0)\n");
  const Ran r = run_with({"check", dir_});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(lines(r.out), 3u);
  EXPECT_TRUE(std::regex_search(r.err, std::regex("broken\\.litmus:4:[0-9]+: error: "))) << r.err;
  EXPECT_EQ(run_with({"check", dir_ + "/none.litmus"}).code, 2);
  fs::create_directories(dir_ + "/empty");
  EXPECT_EQ(run_with({"check", dir_ + "/empty"}).code, 2);
  EXPECT_EQ(run_with({"check", "--model", "ptx-7.6", synced_}).code, 2);
  EXPECT_TRUE(has(run_with({"check", "--model", "ptx-7.6", synced_}).err, "ptx-7.5"));
  EXPECT_EQ(run_with({"check", "--model", "vulkan", synced_}).code, 2);
}

TEST_F(Verbs, CheckWarnsOfAnAddressInTheQuestion) {
  write("rhs.litmus", "PTX rhs\n{ x = 3; y = 3; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (x = y)\n");
  const Ran r = run_with({"check", dir_ + "/rhs.litmus"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "rhs.litmus:5:13: warning: 'y' on the right is the address")) << r.err;
}

TEST_F(Verbs, CheckWritesWitnessesAndJson) {
  const std::string svg = dir_ + "/w.svg";
  EXPECT_EQ(run_with({"check", "--witness", svg, relaxed_}).code, 0);
  EXPECT_TRUE(fs::exists(svg));
  const Ran none = run_with({"check", "--witness", dir_ + "/n.svg", never_});
  EXPECT_EQ(none.code, 0);
  EXPECT_TRUE(has(none.err, "is not written"));
  EXPECT_FALSE(fs::exists(dir_ + "/n.svg"));
  EXPECT_EQ(run_with({"check", "--witness", svg, dir_}).code, 2);
  EXPECT_EQ(run_with({"check", "--witness", dir_ + "/w.bmp", relaxed_}).code, 2);

  const Ran one = run_with({"check", "--json", relaxed_});
  EXPECT_TRUE(one.out.starts_with("{")) << one.out;
  EXPECT_TRUE(has(one.out, "fencepost.check/1"));
  write("broken.litmus", "PTX broken\n{ x=0 }\n");
  const Ran many = run_with({"check", "--json", dir_});
  EXPECT_TRUE(many.out.starts_with("["));
  EXPECT_TRUE(has(many.out, "fencepost.error/1"));
}

TEST_F(Verbs, BoundsAreSavedAndLoaded) {
  const std::string loop =
      write("loop.litmus",
            "VULKAN loop\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 ;\n LC00: ;\n rmw.atom.dv.sc0.add r0, x, 1 ;\n"
            " blt r0, 2, LC00 ;\nforall (x = 3)\n");
  const std::string bounds = dir_ + "/loop.bounds";
  EXPECT_EQ(run_with({"check", loop}).code, 3);
  EXPECT_EQ(run_with({"check", "--bound", "auto", "--save-bounds", bounds, loop}).code, 0);
  const Ran json = run_with({"check", "--bounds", bounds, "--json", loop});
  EXPECT_EQ(json.code, 0);
  EXPECT_TRUE(has(json.out, "\"bound\": 4")) << json.out;
  EXPECT_EQ(run_with({"outcomes", "--bounds", bounds, loop}).code, 0);
  EXPECT_EQ(run_with({"explain", "--bounds", bounds, loop}).code, 0);
  const Ran other = run_with({"check", "--bounds", bounds,
                              write("other.litmus",
                                    "VULKAN other\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 ;\n LC00: ;\n"
                                    " ld.atom.dv.sc0 r0, x ;\n beq r0, 1, LC00 ;\nforall (x = 0)\n")});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(std::regex_search(
      other.err, std::regex("loop\\.bounds:2:9: error: these are not the bounds of other\\.litmus#other")))
      << other.err;
  EXPECT_EQ(run_with({"check", "--bounds", dir_ + "/none", loop}).code, 2);
  EXPECT_EQ(run_with({"check", "--save-bounds", dir_ + "/no/such/folder", loop}).code, 2);
}

TEST_F(Verbs, OutcomesInTheFormatOfHerd) {
  const Ran r = run_with({"outcomes", relaxed_});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.out.starts_with("Test mp Allowed\nStates 4\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\n1:r0=1; 1:r1=0;\n"));
  EXPECT_TRUE(has(r.out, "\nObservation mp Sometimes "));
  EXPECT_TRUE(run_with({"outcomes", synced_}).out.starts_with("Test mp Allowed\nStates 3\n"));
  EXPECT_EQ(run_with({"outcomes", "--engine", "both", relaxed_}).code, 0);
  EXPECT_EQ(run_with({"outcomes", dir_}).code, 2);
}

TEST_F(Verbs, ExplainAnswersLikeCheck) {
  const Ran why = run_with({"explain", synced_});
  EXPECT_EQ(why.code, 1);
  EXPECT_TRUE(has(why.out, "causality")) << why.out;
  const Ran how = run_with({"explain", relaxed_});
  EXPECT_EQ(how.code, 0);
  EXPECT_FALSE(how.out.empty());
}

TEST_F(Verbs, DiffModelsPrintsWhatFlips) {
  const Ran same = run_with({"diff-models", "ptx-6.0", "ptx-7.5", dir_});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_EQ(same.out, "3 tests, 0 differ\n");
  const Ran differ = run_with({"diff-models", "ptx-7.5", "sc", dir_});
  EXPECT_EQ(differ.code, 1) << differ.err;
  EXPECT_TRUE(has(differ.out, "sub/relaxed.litmus  ptx-7.5: holds  sc: fails"));
  EXPECT_TRUE(has(differ.out, "3 tests, 1 differ\n"));
}

TEST_F(Verbs, RefineFindsWhatIsNew) {
  const Ran stronger = run_with({"refine", relaxed_, synced_});
  EXPECT_EQ(stronger.code, 0) << stronger.out << stronger.err;
  const Ran weaker = run_with({"refine", synced_, relaxed_});
  EXPECT_EQ(weaker.code, 1) << weaker.out << weaker.err;
  EXPECT_TRUE(has(weaker.out, "new outcome: 1:r0=1; 1:r1=0;")) << weaker.out;
  EXPECT_GT(lines(weaker.out), 4u) << "the execution is shown";
  const std::string other =
      write("other.litmus", "PTX o\n{ z=0; }\n P0@cta 0,gpu 0 ;\n st.weak z, 1 ;\nexists (z=1)\n");
  EXPECT_EQ(run_with({"refine", synced_, other}).code, 2);
}

// Commands of hundreds of tests, each of which has no budget of its own: what the command has no time for is undecided.
TEST_F(Verbs, TheTotalBudgetIsOfTheCommand) {
  std::string rows = "model,property,path,expected\n";
  for (int k = 0; k < 400; ++k) rows += "ptx-7.5,condition," + relaxed_ + ",1\n";
  const std::string table = write("table.csv", rows);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"expect", table, "--root", "/", "-j1"},
           {"gen", "--families", "all", "--threads", "2", "--decide"},
           {"suite", "--threads", "2", "-j1"},
           {"lower", "ptx-vulkan", "--generate", "2"},
       }) {
    std::vector<std::string> bounded = command;
    bounded.insert(bounded.end(), {"--total-budget", "1ms"});
    const Ran r = run_with(bounded);
    EXPECT_EQ(r.code, command[0] == "expect" ? 1 : 3) << command[0] << r.out.substr(0, 500) << r.err.substr(0, 500);
    if (command[0] == "suite") EXPECT_TRUE(has(r.err, "undecided")) << r.err.substr(0, 500);
    if (command[0] == "expect") EXPECT_TRUE(has(r.out + r.err, "gave_up")) << r.out.substr(0, 500);
  }
  const Ran both = run_with({"check", "--untrusted", "--total-budget", "1s", relaxed_});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(has(both.err, "--budget is of the whole command there")) << both.err;
}

// A folder has the certificate of the last answer, or none; what is no certificate is never overwritten.
TEST_F(Verbs, ACertificateIsOfTheLastAnswer) {
  const std::string folder = at("certificate"), statement = folder + "/statement.txt";
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "check");
    more.insert(more.end(), {"--certificate", folder});
    return run_with(more);
  };
  for (const std::vector<std::string>& none : std::vector<std::vector<std::string>>{
           {relaxed_, "-p", "termination"}, {relaxed_, "--exists", "x = 1"}, {write("bad.litmus", "PTX bad\n")}}) {
    EXPECT_TRUE(has(ask({relaxed_}).out, "certificate in "));
    ASSERT_TRUE(fs::exists(statement));
    ask(none);
    EXPECT_FALSE(fs::exists(statement)) << none.back();
  }
  const std::string mine = at("mine"), kept = mine + "/test.litmus";
  fs::create_directories(mine);
  fs::copy_file(relaxed_, kept);
  for (const std::string& test : {kept, relaxed_}) {
    const Ran r = run_with({"check", test, "--certificate", mine});
    EXPECT_EQ(r.code, 2) << r.out << r.err;
    EXPECT_TRUE(has(r.err, test == kept ? "is read, and is in the folder" : "the folder is not a certificate"))
        << r.err;
    EXPECT_TRUE(fs::exists(kept));
  }
  ask({relaxed_});
  const Ran again = run_with({"check", folder + "/test.litmus", "--certificate", folder});
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(fs::exists(statement));
}

// A source that a flag undefines allows everything, and that is no pass. What would be new besides is listed.
TEST_F(Verbs, RefineSaysThatARacySourceIsUndefined) {
  const std::string head = "OPENCL t\n{}\nP0@wg 0, dev 0 (global int* x) { *x = ";
  const std::string tail = "; }\nP1@wg 1, dev 0 (global int* x) { int r0 = *x; }\nexists (x = 1)\n";
  const std::string one = write("one.litmus", head + "1" + tail), two = write("two.litmus", head + "2" + tail);
  for (const std::string engine : {"auto", "solve", "enumerate", "both"}) {
    const Ran r = run_with({"refine", "--engine", engine, one, two});
    EXPECT_EQ(r.code, 3) << r.out << r.err;
    EXPECT_TRUE(
        has(r.out, "two.litmus  undefined  the source raises 'data-race', so that everything is allowed (opencl)"))
        << r.out;
    EXPECT_TRUE(has(r.out, "new outcome if the flag is disregarded: x=2;")) << r.out;
  }
  const Ran json = run_with({"refine", "--json", one, two});
  EXPECT_TRUE(has(json.out, "\"verdict\": \"undefined\"")) << json.out;
  EXPECT_EQ(json.code, 3);
  const std::string calm = write("calm.litmus",
                                 "OPENCL t\n{}\nP0@wg 0, dev 0 (global int* x) { int r1 = 0; }\n"
                                 "P1@wg 1, dev 0 (global int* x) { int r0 = *x; }\nexists (x = 1)\n");
  const Ran racy = run_with({"refine", calm, one});
  EXPECT_EQ(racy.code, 1) << racy.out << racy.err;
}

// What refine and outcomes say of all executions of loops rests on the same as what check says.
TEST_F(Verbs, OutcomesAndRefineNameTheAssumptionAboutLoops) {
  std::string loops = "OPENCL t\n{}\n";
  for (const char* const part :
       {"P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n  int r0 = 0;\n  while (r0 == 0) { r0 = "
        "atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }\n  atomic_store_explicit(y",
        "P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n  int r1 = 0;\n  while (r1 == 0) { r1 = "
        "atomic_load_explicit(y, memory_order_relaxed, memory_scope_device); }\n  atomic_store_explicit(x"})
    loops += part + std::string(", 1, memory_order_relaxed, memory_scope_device);\n}\n");
  const std::string file = write("loops.litmus", loops + "exists (0:r0 = 1)\n");
  const std::string sentence = "assumes: no loop ends on a value out of thin air";
  const Ran all = run_with({"outcomes", file});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(has(all.err, sentence)) << all.err;
  const Ran same = run_with({"refine", file, file});
  EXPECT_TRUE(has(same.out, "vacuous")) << same.out;
  EXPECT_TRUE(has(same.out, sentence)) << same.out;
  EXPECT_TRUE(has(run_with({"refine", "--json", file, file}).out, "\"assumptions\": [\"no loop ends on a value"));
  EXPECT_FALSE(has(run_with({"outcomes", "--model", "sc", file}).err, "assumes"));
  EXPECT_FALSE(has(run_with({"refine", "--model", "sc", file, file}).out, "assumes"));
}

// What is computed of an undefined value is not every value: n & 1 is 0 or 1, n may be 2.
TEST_F(Verbs, RefineKnowsWhatAnUndefinedValueMayBecome) {
  const std::string head =
      "#version 450\n// @Config: 1, 1, 1\n// @Output: exists (x == 7)\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) buffer D { uint x; };\nvoid main() { uint n; x = ";
  const std::string bit = write("bit.comp", head + "n & 1u; }\n"), any = write("any.comp", head + "n & 3u; }\n");
  const Ran wider = run_with({"refine", bit, any});
  EXPECT_EQ(wider.code, 1) << wider.out << wider.err;
  EXPECT_EQ(run_with({"refine", any, bit}).code, 0);
}

// What has no effect on an input is an error: a litmus test has its own threads, values and question.
TEST_F(Verbs, OptionsOfShadersAreRefusedForLitmusTests) {
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{{"--exists", "x==1"},
                                                                                      {"--condition", "exists (x==1)"},
                                                                                      {"--filter", "x==1"},
                                                                                      {"--input", "x=1"},
                                                                                      {"--grid", "1.1.2"},
                                                                                      {"--entry", "main"}})
    for (const char* verb : {"check", "outcomes", "explain"}) {
      const Ran r = run_with({verb, option[0], option[1], synced_});
      EXPECT_EQ(r.code, 2) << verb << ' ' << option[0] << r.out;
      EXPECT_TRUE(has(r.err, "a litmus test has its own")) << verb << ' ' << option[0] << r.err;
    }
}

TEST_F(Verbs, ExpectCountsAndListsMismatches) {
  const std::string table = write("t.csv",
                                  "suite,model,property,path,expected\n"
                                  "A,ptx-v6.0,program_spec,synced.litmus,0\n"
                                  "A,ptx-v7.5,program_spec,sub/relaxed.litmus,PASS\n"
                                  "B,ptx-v7.5,program_spec,never.litmus,0\n"
                                  "B,ptx-v7.5,program_spec,never.litmus,1\n"
                                  "B,ptx-v7.5,program_spec,missing.litmus,1\n"
                                  "C,ptx-v7.5,trackability,never.litmus,1\n");
  const Ran all = run_with({"expect", table, "--root", dir_});
  EXPECT_EQ(all.code, 2) << "a file that is not there is no verdict";
  EXPECT_TRUE(has(all.out, "B never.litmus (ptx-7.5-tables, program_spec): expected 0 (fails), found 1 (holds)"))
      << all.out;
  EXPECT_TRUE(has(all.out, "missing.litmus"));
  EXPECT_TRUE(has(all.out, "SKIPPED 1 row of C: property trackability is not supported\n"));
  EXPECT_TRUE(all.out.ends_with("\n3 passed, 2 failed, 1 skipped\n")) << all.out;
  const Ran one = run_with({"expect", table, "--root", dir_, "--suites", "A"});
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(one.out.ends_with("2 passed, 0 failed\n")) << one.out;
  EXPECT_EQ(run_with({"expect", table, "--root", dir_, "--suites", "AA"}).code, 2);
  EXPECT_EQ(run_with({"expect", table, "--root", dir_, "--suites", "C"}).code, 3) << "nothing decided is not a success";
  EXPECT_EQ(run_with({"expect", dir_ + "/none.csv"}).code, 2);
  EXPECT_TRUE(has(run_with({"expect", table, "--root", dir_, "--json"}).out, "\"passed\": 3"));
}

TEST_F(Verbs, ExpectTakesModelsFromAFolder) {
  const std::string table = write("t.csv", "model,property,path,expected\nanything,condition,sub/relaxed.litmus,0\n");
  write("m/anything.cat", "\"sequential\"\nacyclic (po | rf | co | fr) as sc\n");
  const Ran r = run_with({"expect", table, "--root", dir_, "--model-dir", dir_ + "/m"});
  EXPECT_EQ(r.out, "1 passed, 0 failed\n") << r.err;
  EXPECT_EQ(r.code, 0);
}

TEST_F(Verbs, ExpectReadsWhatTestsSayOfThemselves) {
  write("synced.expect", "ptx-7.5 condition fails # release and acquire\nsc condition fails\n");
  write("sub/relaxed.expect", "ptx-7.5 condition holds\n");
  write("sub/racy.test",
        "NEWWG\nNEWSG\nNEWTHREAD\nst.sc0 x = 1\nNEWWG\nNEWSG\nNEWTHREAD\nld.sc0 x = 1\n"
        "SATISFIABLE consistent[X] && #dr>0\nNOSOLUTION consistent[X] && #dr=0\n");
  const Ran good = run_with({"expect", dir_});
  EXPECT_EQ(good.out, "5 passed, 0 failed\n") << good.err;
  EXPECT_EQ(good.code, 0);
  write("sub/relaxed.expect", "ptx-7.5 condition fails\n");
  const Ran bad = run_with({"expect", relaxed_});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(has(bad.out, "expected 0 (fails), found 1 (holds)\n0 passed, 1 failed\n")) << bad.out;
}

TEST_F(Verbs, PrintGivesBackTheTest) {
  const Ran once = run_with({"print", synced_});
  ASSERT_EQ(once.code, 0) << once.err;
  const std::string copy = write("copy.litmus", once.out);
  EXPECT_EQ(run_with({"print", copy}).out, once.out);
}

TEST_F(Verbs, ModelsAndTheirLint) {
  const Ran models = run_with({"models"});
  EXPECT_EQ(models.code, 0);
  for (const char* name : {"sc", "ptx-6.0", "ptx-7.5", "vulkan", "vulkan-nochains", "opencl"})
    EXPECT_TRUE(std::regex_search(models.out, std::regex("(^|\n)" + std::string(name) + " "))) << name;
  EXPECT_EQ(run_with({"lint-model", "ptx-7.5"}).code, 0) << run_with({"lint-model", "ptx-7.5"}).out;
  const std::string bad = write("bad.cat", "\"bad\"\nlet com = rf | co | frr\nacyclic com as x\n");
  const Ran r = run_with({"lint-model", bad});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(std::regex_search(r.out, std::regex("bad\\.cat:2:[0-9]+: error: "))) << r.out;
  EXPECT_EQ(run_with({"lint-model", "no-such-model"}).code, 2);
}

TEST_F(Verbs, StandardInputIsATest) {
  const std::string program = FENCEPOST_PROGRAM;
  const Ran r = shell(program + " check - < " + synced_);
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(lines(r.out), 1u);
}

TEST(Program, LoadsNoHeavyLibrary) {
  const Ran r = shell(std::string("readelf -d ") + FENCEPOST_PROGRAM);
  ASSERT_EQ(r.code, 0);
  size_t needed = 0;
  const std::regex entry("\\(NEEDED\\)[^\\[]*\\[([^\\]]*)\\]");
  for (auto it = std::sregex_iterator(r.out.begin(), r.out.end(), entry); it != std::sregex_iterator(); ++it) {
    ++needed;
    const std::string library = (*it)[1];
    for (const char* heavy :
         {"LLVM", "clang", "z3", "gvc", "cgraph", "vulkan", "OpenCL", "cuda", "SPIRV", "glslang", "sqlite"})
      EXPECT_FALSE(has(library, heavy)) << library;
  }
  EXPECT_GE(needed, 2u) << "the list was not read:\n" << r.out;
}

TEST(Program, FullDiskIsNoSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  EXPECT_EQ(shell(std::string(FENCEPOST_PROGRAM) + " models 2>/dev/null > /dev/full").code, 4);
}

TEST(Program, TheOptionsPageIsCurrent) {
  std::ifstream page(FENCEPOST_SOURCE_DIR "/docs/options.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_EQ(text, run_with({"help-markdown"}).out) << "write it again: fencepost help-markdown > docs/options.md";
}

// ---- progress ----------------------------------------------------------------------------------------------------

// The bundled verdicts, which a slow oracle of another algorithm confirmed (test_oracle holds the two together).
TEST(Progress, BundledTestsHaveTheirVerdicts) {
  const fs::path before = fs::current_path();
  fs::current_path(FENCEPOST_SOURCE_DIR);
  const Ran r = run_with({"progress", "check", "--csv", "examples/progress"});
  fs::current_path(before);
  EXPECT_EQ(r.err, "");
  std::ifstream file(FENCEPOST_SOURCE_DIR "/examples/progress/verdicts.csv");
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(r.out, expected);
}

TEST_F(Verbs, ProgressReadsItsOwnLitmusFiles) {
  write("lock.axb",
        "progress \"lock\"\nx = 0;\nthread 0 {\n  0: if (exch(x, 1) == 1) goto 0;\n  1: x = 0;\n}\nthread 1 {\n  0: if "
        "(x == 1) goto 0;\n}\n");
  EXPECT_EQ(
      run_with({"progress", "export", "--target", "litmus-ptx,litmus-vulkan", "-o", at("out"), at("lock.axb")}).code,
      0);
  const Ran direct = run_with({"progress", "print", at("lock.axb"), "--form", "json"});
  size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(at("out"))) {
    const Ran r = run_with({"progress", "check", entry.path().string(), "--csv"});
    const Ran own = run_with({"progress", "check", at("lock.axb"), "--csv"});
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(std::regex_replace(r.out, std::regex("[^\n]*\\.litmus"), ""),
              std::regex_replace(own.out, std::regex("[^\n]*\\.axb"), ""));
    ++seen;
  }
  EXPECT_EQ(seen, 2u);
}

TEST_F(Verbs, ProgressFaultsAreLocatedAndExitTwo) {
  write("far.axb", "progress \"far\"\nx;\nthread 0 {\n  0: if (x == 0) goto 3;\n}\n");
  write("drops.progress",
        "model \"drops\"\nvar fair = live\non step(t, i) {\n  fair = fair \\ {t}\n}\non terminate(t) {\n  fair = fair "
        "& live\n}\n");
  write("fine.axb", "progress \"fine\"\nx;\nthread 0 {\n  0: x = 1;\n  1: x = 0;\n}\nthread 1 {\n  x = 1;\n}\n");
  const Ran far = run_with({"progress", "check", at("far.axb")});
  EXPECT_EQ(far.code, 2);
  EXPECT_NE(far.err.find("far.axb:4:"), std::string::npos) << far.err;
  const Ran drops = run_with({"progress", "check", "--model", at("drops.progress"), at("fine.axb")});
  EXPECT_EQ(drops.code, 2);
  EXPECT_NE(drops.err.find("drops.progress:4:3"), std::string::npos) << drops.err;
  EXPECT_NE(drops.err.find("loses thread 0"), std::string::npos) << drops.err;
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"progress"},
                                             {"progress", "chek"},
                                             {"progress", "check"},
                                             {"progress", "check", "--fairness", "week", at("fine.axb")},
                                             {"progress", "check", "--model", "hsb", at("fine.axb")},
                                             {"progress", "check", at("none.axb")},
                                             {"progress", "compare", "hsa"},
                                             {"progress", "compare", "hsa:loud", "obe"},
                                             {"progress", "synth", "--threads", "9"},
                                             {"progress", "synth", "--per-thread", "2,x"},
                                             {"progress", "synth", "--constraints", "all,-ends,foo"},
                                             {"progress", "synth", "--shapes", "loop"},
                                             {"progress", "synth", "--symmetry", "mirror"},
                                             {"progress", "run", "--mapping", "chunkd", at("fine.axb")},
                                             {"progress", "run", "--total", "1", at("fine.axb")},
                                             {"progress", "run", "--variant", "warp", at("fine.axb")},
                                             {"progress", "export", at("fine.axb")},
                                             {"progress", "export", "--target", "cudo", "-o", at("o"), at("fine.axb")},
                                             {"progress", "lts", at("fine.axb"), "-o", at("x.png")},
                                             {"progress", "expect", at("none.csv"), "--tests", at("fine.axb")},
                                             {"progress", "check", "--witness", at("x.svg"), at("fine.axb")}}) {
    const Ran r = run_with(args);
    std::string line;
    for (const std::string& a : args) line += a + " ";
    EXPECT_EQ(r.code, 2) << line << r.err;
    EXPECT_NE(r.err.find("hint"), std::string::npos) << line << r.err;
  }
}

TEST_F(Verbs, ProgressRunsAreStoredResumedAndHeldAgainstModels) {
  const std::string down = std::string(FENCEPOST_SOURCE_DIR) + "/examples/progress/producer-consumer-down.axb";
  const std::vector<std::string> args = {"progress",      "run",         "--device", "reference", "--mapping",
                                         "plain,chunked", "--total",     "240",      "--runs",    "2",
                                         "--store",       at("runs.db"), down};
  const Ran first = run_with(args);
  EXPECT_EQ(first.code, 1) << first.out << first.err;
  EXPECT_TRUE(has(first.out, "chunked  starved 2 of 2, threads 0,1")) << first.out;
  EXPECT_TRUE(has(first.out, "FAIR is violated by")) << first.out;
  EXPECT_TRUE(has(first.out, "4 runs, 4 of them new")) << first.out;
  const Ran again = run_with(args);
  EXPECT_TRUE(has(again.out, "4 runs, 0 of them new")) << again.out;
  auto obe = args;
  obe.insert(obe.end(), {"--model", "obe", "--json"});
  const Ran json = run_with(obe);
  EXPECT_EQ(json.code, 0) << "OBE owes nothing to a workgroup that has not begun: " << json.out;
  EXPECT_TRUE(has(json.out, "fencepost.progress.run/1")) << json.out;
  const Ran refused = run_with({"progress", "run", "--variant", "cooperative", down});
  EXPECT_EQ(refused.code, 3) << refused.err;
  EXPECT_TRUE(has(refused.err, "cooperative")) << refused.err;
}

TEST_F(Verbs, RelaxReportsSitesAndFixes) {
  const Ran needed = run_with({"relax", never_});
  EXPECT_EQ(needed.code, 0) << needed.out;
  EXPECT_TRUE(has(needed.out, "0 of 2 sites")) << needed.out;
  EXPECT_TRUE(has(needed.out, "needed: as ld.relaxed.gpu r0, flag the condition is reached")) << needed.out;
  const std::string fix = dir_ + "/fix.litmus";
  const Ran fixed = run_with({"relax", "--forbid", "--output", fix, relaxed_});
  EXPECT_EQ(fixed.code, 1);
  EXPECT_TRUE(has(fixed.out, "st.release.gpu flag, 1")) << fixed.out;
  EXPECT_EQ(run_with({"check", fix}).code, 1);  // exists: not reachable any longer
  const Ran shown = run_with({"relax", "--site", "2", never_});
  EXPECT_TRUE(has(shown.out, "final state")) << shown.out;
  EXPECT_TRUE(has(run_with({"relax", "--json", never_}).out, "\"schema\": \"fencepost.relax/1\""));
  EXPECT_EQ(run_with({"relax", "--keep", "rac", never_}).code, 2);
  EXPECT_EQ(run_with({"relax", "--site", "9", never_}).code, 2);
}

// What nobody asks, and what is not decided, is not kept: no fence may go for it.
TEST_F(Verbs, RelaxKeepsNothingThatIsNotAskedOrNotDecided) {
  const std::string lock = std::string(FENCEPOST_SOURCE_DIR) + "/examples/kernels/lock.cu";
  const Ran open = run_with({"relax", lock, "--grid", "1.1.2", "--budget", "60"});
  EXPECT_EQ(open.code, 3) << open.out;
  EXPECT_TRUE(has(open.out, "undecided: races is unknown as written")) << open.out;
  EXPECT_TRUE(has(open.out, "--bound auto")) << open.out;
  EXPECT_FALSE(has(open.out, "can be dropped")) << open.out;
  const Ran asked = run_with({"relax", lock, "--grid", "1.1.2", "--keep", "condition"});
  EXPECT_EQ(asked.code, 2) << asked.out;
  EXPECT_TRUE(has(asked.err, "no condition is asked")) << asked.err;
  EXPECT_TRUE(has(asked.err, "--keep races")) << asked.err;
  // Races leave a PTX program defined: without a question, nothing there asks for a fence.
  const std::string text = mp("release", "acquire", "exists");
  const std::string silent = write("silent/silent.litmus", text.substr(0, text.find("exists")));
  EXPECT_EQ(run_with({"relax", silent}).code, 2);
  // A race leaves the program undefined: what does not mend it mends nothing.
  const Ran racy = run_with({"relax", write("silent/racy.litmus",
                                            "OPENCL racy\n{ x=0; y=0; }\nP0@wg 0, dev 0 (global int* x, global "
                                            "atomic_int* y) {\n  *x = 1;\n  atomic_store(y, 1);\n}\nP1@wg 1, dev 0 "
                                            "(global int* x, global atomic_int* y) {\n  int r0 = *x;\n  int r1 = "
                                            "atomic_load(y);\n}\n~exists (1:r0=2)\n")});
  EXPECT_TRUE(has(racy.out, "  fails")) << racy.out;
  EXPECT_TRUE(has(racy.out, "to hold: condition, races, termination")) << racy.out;
  EXPECT_FALSE(has(racy.out, "left alone")) << racy.out;
}

// The time of a file is that of all its questions, and of those in the files that it includes.
TEST_F(Verbs, TimeForKernelsOfIncludedFiles) {
  std::string kernels, launches;
  for (int k = 0; k < 80; ++k) {
    kernels += "__global__ void k" + std::to_string(k) + "(int* a) { a[blockIdx.x * 64 + threadIdx.x] = 1; }\n";
    launches += "  k" + std::to_string(k) + "<<<4, 64>>>(a);\n";
  }
  write("many/kernels.cuh", kernels + "void all(int* a) {\n" + launches + "}\n");
  const Ran r = run_with({"prove", "--timeout=0.1", write("many/main.cu", "#include \"kernels.cuh\"\n")});
  EXPECT_FALSE(has(r.err, "is spent")) << r.err;
  EXPECT_TRUE(has(r.out, "k79")) << r.out << r.err;
}

// A worker that is ended prints nothing by itself.
TEST_F(Verbs, ProveGivesUpInJsonToo) {
  std::string text = "#define M0 x[0]+\n";  // a bomb of macros
  for (int k = 1; k < 40; ++k)
    text += "#define M" + std::to_string(k) + " M" + std::to_string(k - 1) + " M" + std::to_string(k - 1) + "\n";
  const std::string bomb = write("bomb/bomb.cu", text + "__global__ void k(int* x) { x[0] = M39 1; }\n");
  const Ran r = run_with({"prove", "--format=json", "--timeout=0.5", "--memory=2G", bomb});
  EXPECT_EQ(r.code, 3) << r.out << r.err;
  const auto j = nlohmann::json::parse(r.out, nullptr, false);
  ASSERT_TRUE(j.is_object()) << r.out;
  EXPECT_EQ(j["schema"], "fencepost.prove/1");
  EXPECT_EQ(j["answer"], "gave_up");
  EXPECT_EQ(j["path"], bomb);
  EXPECT_TRUE(has(j["diagnostics"][0]["message"], "gave up")) << j.dump();
  EXPECT_EQ(run_with({"prove", "--timeout=soon", bomb}).code, 2);
}

// Computed places beyond the elements that a launch tells apart share cells: a race there may be none.
TEST_F(Verbs, ARaceBeyondTheArrayIsSaidToBeBeyondIt) {
  const std::string far = write("far/far.cu", "__global__ void k(int* x, int n) { x[n + 1000 * blockIdx.x] = 1; }\n");
  const Ran r = run_with({"check", "--property", "races", "--grid", "1.1.2", far});
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_TRUE(has(r.out, "fails  the index is beyond its array: undefined behaviour if the array ends there")) << r.out;
  EXPECT_LT(r.out.find("beyond its array"), r.out.find("flag raised: data-race"));
  EXPECT_TRUE(has(run_with({"check", "--json", "--property", "races", "--grid", "1.1.2", far}).out,
                  "\"detail\": \"the index is beyond its array"));
  const std::string near = write("far/near.cu", "__global__ void k(int* x, int n) { x[n & 1] = 1; }\n");
  const Ran within = run_with({"check", "--property", "races", "--grid", "1.1.2", near});
  EXPECT_EQ(within.code, 1) << within.out;
  EXPECT_FALSE(has(within.out, "beyond its array")) << within.out;
}

TEST_F(Verbs, DiffModelsAsksSomething) {
  const std::string text = mp("release", "acquire", "exists");
  const std::string silent = write("silent/silent.litmus", text.substr(0, text.find("exists")));
  const Ran r = run_with({"diff-models", "ptx-6.0", "ptx-7.5", silent});
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_TRUE(has(r.err, "no question is asked")) << r.err;
  // Vacuous is another answer than holds, and twice vacuous no agreement.
  const std::string blocks = std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/ptx/bar-sb-other-instance.litmus";
  const Ran other = run_with({"diff-models", "ptx-7.5-asplos24", "ptx-7.5-tables", blocks});
  EXPECT_TRUE(has(other.out, "vacuous") && has(other.out, "1 test, 1 differ\n")) << other.out;
  const Ran twice = run_with({"diff-models", "ptx-7.5-asplos24", "ptx-7.5-asplos24", blocks});
  EXPECT_EQ(twice.code, 3) << twice.out;
  EXPECT_TRUE(has(twice.out, "0 differ, 1 undecided")) << twice.out;
}

// Folders hold tests of every dialect; a file that is named is asked for.
TEST_F(Verbs, DiffModelsLeavesOtherDialectsOfAFolderOut) {
  write("mixed/mp.litmus", mp("release", "acquire", "exists"));
  const std::string other = write("mixed/cl.litmus", k_racy_source);
  const Ran r = run_with({"diff-models", "ptx-6.0", "ptx-7.5", dir_ + "/mixed"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "1 test, 0 differ; 1 of other dialects left out")) << r.out;
  EXPECT_EQ(r.err, "");
  const Ran named = run_with({"diff-models", "ptx-6.0", "ptx-7.5", other});
  EXPECT_EQ(named.code, 2) << named.out;
  EXPECT_TRUE(has(named.err, other + ": error: the model 'ptx-6.0' is made for ptx")) << named.err;
}

// Message passing takes four accesses: whatever N is, each ordered update hands a message over.
TEST_F(Verbs, LowerJudgesTheOrderOfUpdates) {
  const std::string head =
      "lowering t\nfrom OPENCL opencl\nto PTX ptx-7.5\nscope work_group -> cta\nscope device -> gpu\n"
      "place wg -> cta\nplace dev -> gpu\n";
  const std::string loose =
      "load.acquire.SCOPE -> ld.acquire.SCOPE\nstore.release.SCOPE -> st.release.SCOPE\n"
      "load.relaxed.SCOPE -> ld.relaxed.SCOPE\nstore.relaxed.SCOPE -> st.relaxed.SCOPE\n";
  const auto made = [&](const char* name, const std::string& rules) {
    return run_with({"lower", write(name, head + rules), "--generate", "2"});
  };
  const Ran good = made("good.map", loose + "rmw.acq_rel.SCOPE.OP -> atom.acq_rel.SCOPE.OP\n");
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  const Ran lost = made("lost.map", loose + "rmw.acq_rel.SCOPE.OP -> atom.relaxed.SCOPE.OP\n");
  EXPECT_EQ(lost.code, 1) << lost.out << lost.err;
  EXPECT_FALSE(has(lost.out, ", 0 gain one")) << lost.out;
  const Ran half = made("half.map", loose + "rmw.acq_rel.SCOPE.OP -> atom.acquire.SCOPE.OP\n");
  EXPECT_EQ(half.code, 1) << half.out << half.err;
  const Ran other_half = made("other.map", loose + "rmw.acq_rel.SCOPE.OP -> atom.release.SCOPE.OP\n");
  EXPECT_EQ(other_half.code, 1) << other_half.out << other_half.err;
  // Nothing to carry the data: the order of the row is not judged, which is no pass.
  const Ran none = made("none.map", "rmw.acq_rel.SCOPE.OP -> atom.relaxed.SCOPE.OP\n");
  EXPECT_EQ(none.code, 3) << none.out << none.err;
  EXPECT_TRUE(has(none.err, "not decided: the order of rmw.acq_rel.SCOPE.exch")) << none.err;
}

// Rules for one operation, fences and barriers have tests whatever N is; what no test has met is no pass.
TEST_F(Verbs, LowerJudgesEveryRuleThatOrders) {
  const std::string head =
      "lowering t\nfrom OPENCL opencl\nto PTX ptx-7.5\nscope work_group -> cta\nscope device -> gpu\n"
      "place wg -> cta\nplace dev -> gpu\n"
      "load.relaxed.SCOPE -> ld.relaxed.SCOPE\nstore.relaxed.SCOPE -> st.relaxed.SCOPE\n"
      "load.acquire.SCOPE -> ld.acquire.SCOPE\nstore.release.SCOPE -> st.release.SCOPE\n";
  const std::string all = "rmw.acq_rel.SCOPE.OP -> atom.acq_rel.SCOPE.OP\n";
  const auto made = [&](const char* name, const std::string& rules) {
    return run_with({"lower", write(name, head + rules), "--generate", "2"});
  };
  const Ran add = made("add.map", "rmw.acq_rel.SCOPE.add -> atom.relaxed.SCOPE.add\n" + all);
  EXPECT_EQ(add.code, 1) << add.out << add.err;
  EXPECT_TRUE(has(add.out, "atomic_fetch_add_explicit")) << add.out;
  const Ran fence = made("fence.map", "fence.seq_cst.SCOPE -> fence.acq_rel.SCOPE\n");
  EXPECT_EQ(fence.code, 1) << fence.out << fence.err;
  EXPECT_EQ(made("fences.map", "fence.seq_cst.SCOPE -> fence.sc.SCOPE\n").code, 0);
  const Ran barrier = made("barrier.map", "barrier -> nothing\n");
  EXPECT_EQ(barrier.code, 1) << barrier.out << barrier.err;
  EXPECT_EQ(made("barriers.map", "barrier -> bar.cta.sync\n").code, 0);
  const Ran cas = made("cas.map", "rmw.acq_rel.SCOPE.cas -> atom.relaxed.SCOPE.cas\n" + all);
  EXPECT_EQ(cas.code, 3) << cas.out << cas.err;
  EXPECT_TRUE(has(cas.err, "not decided: rmw.acq_rel.SCOPE.cas: no generated test has met this rule")) << cas.err;
  EXPECT_TRUE(has(run_with({"lower", "--json", dir_ + "/cas.map", "--generate", "2"}).out,
                  "\"not_judged\": [\"rmw.acq_rel.SCOPE.cas\"]"));
  // What has no order is a note.
  const Ran relaxed = made("relaxed.map", "rmw.relaxed.SCOPE.cas -> atom.relaxed.SCOPE.cas\n" + all);
  EXPECT_EQ(relaxed.code, 0) << relaxed.out << relaxed.err;
  EXPECT_TRUE(has(relaxed.err, "note: rules that no test has met: rmw.relaxed.SCOPE.cas")) << relaxed.err;
}

TEST_F(Verbs, DevicesNamesTheReference) {
  EXPECT_TRUE(has(run_with({"devices"}).out, "reference    a sequential executor"));
}

// As refine has it: a source that is undefined allows everything.
TEST_F(Verbs, LowerOfARacySourceSaysNothing) {
  const Ran r = run_with({"lower", "opencl-ptx", write("racy.litmus", k_racy_source)});
  EXPECT_EQ(r.code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "  undefined  ")) << r.out;
}

TEST_F(Verbs, FormsThatAReportDoesNotHaveAreRefused) {
  const Ran r = run_with({"report", dir_ + "/none.db", "-o", dir_ + "/r.pdf"});
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_TRUE(has(r.err, "names no form of this answer")) << r.err;
}

TEST_F(Verbs, ModelsSaysWhereItsFilesLie) {
  const Ran r = run_with({"models"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(has(r.out, "\nfiles: ")) << r.out;
  EXPECT_TRUE(has(r.out, "; examples: ")) << r.out;
}

TEST_F(Verbs, ABoundThatIsReachedNamesTheWayOn) {
  const std::string lock = std::string(FENCEPOST_SOURCE_DIR) + "/examples/kernels/lock.cu";
  const Ran r = run_with({"check", "--property", "races", "--grid", "1.1.2", lock});
  EXPECT_EQ(r.code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "reached bound 1; --bound auto looks further)")) << r.out;
}

TEST_F(Verbs, LowerHoldsTablesToTheModels) {
  const std::string sb = write(
      "sb.litmus",
      "OPENCL sb\n{ x=0; y=0; }\nP0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n  atomic_store(x, 1);\n"
      "  int r0 = atomic_load(y);\n}\nP1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n  atomic_store(y, "
      "1);\n"
      "  int r0 = atomic_load(x);\n}\nexists (P0:r0 = 0 /\\ P1:r0 = 0)\n");
  const Ran good = run_with({"lower", "opencl-ptx", sb});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_TRUE(has(good.out, "every outcome is one of the source's (3 of 3 states)")) << good.out;
  const std::string bad = std::string(FENCEPOST_SOURCE_DIR) + "/examples/lowering/opencl-ptx-unfenced.map";
  const Ran wrong = run_with({"lower", bad, sb, "-o", dir_ + "/out"});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_TRUE(has(wrong.out, "new outcome: 0:r0=0; 1:r0=0;")) << wrong.out;
  // The two files ask for the outcome: one of them does not have it.
  EXPECT_EQ(run_with({"check", dir_ + "/out/sb-source.litmus"}).code, 1);
  EXPECT_EQ(run_with({"check", "-m", "ptx-7.5", dir_ + "/out/sb-lowered.litmus"}).code, 0);
  const Ran generated = run_with({"lower", "opencl-vulkan", "--generate", "2"});
  EXPECT_EQ(generated.code, 0) << generated.out;
  EXPECT_TRUE(has(generated.out, ", 0 gain one")) << generated.out;
  EXPECT_TRUE(has(run_with({"lower", "--json", bad, sb}).out, "\"schema\": \"fencepost.lower/1\""));
  EXPECT_EQ(run_with({"lower", "opencl-vulkan", sb}).code, 3);  // no rule for seq_cst
  EXPECT_EQ(run_with({"lower", "opencl-vulcan", sb}).code, 2);
  EXPECT_EQ(run_with({"lower", "opencl-ptx"}).code, 2);
}
