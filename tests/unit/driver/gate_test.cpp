// The verb prove as a user meets it, with the verifier opened at run time.
#include "driver/gate.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "driver/again.h"
#include "driver/suite.h"

namespace fencepost::driver {
namespace {

struct Said {
  int code = -1;
  std::string out, err;
};

Said say(const std::vector<std::string>& words) {
  Said s;
  s.code =
      prove(words, {.out = [&](std::string_view t) { s.out += t; }, .err = [&](std::string_view t) { s.err += t; }});
  return s;
}

const std::string k_kernels = FENCEPOST_SOURCE_DIR "/examples/kernels";

class Gate : public testing::Test {
 protected:
  void SetUp() override {
    if (!verifier()) GTEST_SKIP() << "built without clang 19";
  }
};

TEST_F(Gate, the_bundled_kernels_are_as_their_first_lines_say) {
  const Said s = say({"--suite", k_kernels, "--list-failures", "-j", "1"});
  EXPECT_EQ(s.code, 0) << s.out << s.err;
  EXPECT_NE(s.out.find("28 passed, 0 failed"), std::string::npos) << s.out;
}

TEST_F(Gate, one_file) {
  EXPECT_EQ(say({"--local_size=64", "--num_groups=4", k_kernels + "/copy.cl"}).code, 0);
  EXPECT_EQ(say({"--local_size=64", "--num_groups=4", k_kernels + "/shift.cl"}).code, 1);
}

// A kernel that needs a later version of the language is read twice.
TEST_F(Gate, includes_are_files_that_can_be_read_again) {
  const ScratchFolder folder;
  const std::string fifo = folder.path() + "/pipe", file = folder.path() + "/k.cl", header = folder.path() + "/h.h";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream(header) << "#define PLACE 0\nvoid f(atomic_int *p) { atomic_fetch_add(p, 1); }\n";
  const auto ask = [&](const std::string& name) {
    std::ofstream(file) << "#include \"" << name << "\"\n#ifdef PLACE\n__kernel void k(__global int *a) { a[PLACE] = "
                        << "get_global_id(0); }\n#else\n__kernel void k() {}\n#endif\n";
    return say({"--local_size=64", "--num_groups=4", file});
  };
  for (const std::string& name : {std::string("/dev/zero"), std::string("/dev/null"), fifo, std::string("pipe")}) {
    const Said s = ask(name);
    EXPECT_EQ(s.code, 2) << name << s.out;
    EXPECT_NE(s.err.find("k.cl:1:10: error: this include is not read"), std::string::npos) << s.err;
  }
  const Said s = ask("h.h");
  EXPECT_EQ(s.code, 1) << s.out << s.err;
}

TEST_F(Gate, the_bundled_kernels_again) {
  for (const char* how : {"stripped", "groups-16"}) {
    const Said s = say({"--suite", k_kernels, "--list-failures", "-j", "1", "--again", how});
    EXPECT_EQ(s.code, 0) << s.out << s.err;
    EXPECT_NE(s.out.find(" alike, 0 not"), std::string::npos) << s.out;
  }
  const Said m = say({"--suite", k_kernels, "--list-failures", "-j", "1", "--mutants"});
  EXPECT_EQ(m.code, 0) << m.out << m.err;
  EXPECT_NE(m.out.find("0 not decided, 0 verified"), std::string::npos) << m.out;
}

// A solver that says the opposite of what is expected: whatever the verdict, this is an error of ours.
TEST_F(Gate, a_second_opinion_that_disagrees_is_loud) {
  const ScratchFolder folder;
  const std::string fake = folder.path() + "/z3";
  std::ofstream(fake) << "#!/bin/sh\ncase \"$(head -n 1 \"$3\")\" in *unsat*) echo sat;; *) echo unsat;; esac\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", (folder.path() + ":" + path).c_str(), 1), 0);
  const Said s = say({"--local_size=64", "--num_groups=4", "--second-opinion=z3", k_kernels + "/reverse.cl"});
  const Said suite = say({"--suite", k_kernels, "-j", "1", "--second-opinion=z3"});
  std::ofstream(fake) << "#!/bin/sh\necho timeout\n";
  const Said late = say({"--local_size=64", "--num_groups=4", "--second-opinion=z3", k_kernels + "/reverse.cl"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(s.code, 4) << s.out << s.err;
  EXPECT_NE(s.err.find("internal error: z3 says"), std::string::npos) << s.err;
  EXPECT_EQ(suite.code, 4) << suite.out;
  EXPECT_NE(suite.out.find("z3 disagrees"), std::string::npos) << suite.out;
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_NE(late.out.find("second opinion: 0 of "), std::string::npos) << late.out;
  EXPECT_NE(late.err.find("there is no second opinion"), std::string::npos) << late.err;
  EXPECT_EQ(say({"--local_size=64", "--num_groups=4", "--second-opinion=z4", k_kernels + "/copy.cl"}).code, 2);
}

TEST(Suite, comments_go_and_texts_stay) {
  EXPECT_EQ(without_comments("a // b\nc"), "a \nc");
  EXPECT_EQ(without_comments("a /* b\n * c */ d"), "a  \n d");
  EXPECT_EQ(without_comments("printf(\"// %d \\\" /*\", '\"'); // x"), "printf(\"// %d \\\" /*\", '\"'); ");
  EXPECT_EQ(without_comments("// a \\\nb\nc"), "\n\nc");
  EXPECT_EQ(without_comments("a / b"), "a / b");
}

TEST(Suite, values_stay_with_their_options) {
  const std::vector<std::string> words{"-D", "X", "--local_size=4", "--num_groups", "2", "--no-inline"};
  auto s = shuffled(words);
  EXPECT_EQ(s, shuffled(words));
  ASSERT_EQ(s.size(), words.size());
  EXPECT_EQ(*std::next(std::find(s.begin(), s.end(), "-D")), "X");
  EXPECT_EQ(*std::next(std::find(s.begin(), s.end(), "--num_groups")), "2");
}

TEST_F(Gate, tables_are_written_read_and_compared) {
  const ScratchFolder folder;  // its own: several builds may be tested at once
  const std::string table = folder.path() + "/prove-table.csv", plot = folder.path() + "/prove-plot.svg";
  EXPECT_EQ(say({"--suite", k_kernels, "--table", table, "-j", "1"}).code, 0);
  const Said s = say({"--suite", k_kernels, "--compare", table, "--plot", plot, "--time", "-j", "1"});
  EXPECT_EQ(s.code, 0) << s.err;
  EXPECT_NE(s.out.find("files in both tables, 0 with another verdict"), std::string::npos) << s.out;
  EXPECT_NE(s.out.find("95th percentile"), std::string::npos) << s.out;
  std::ifstream svg(plot);
  const std::string picture((std::istreambuf_iterator<char>(svg)), {});
  EXPECT_TRUE(picture.starts_with("<svg")) << picture.substr(0, 80);
  EXPECT_NE(picture.find(">prove-table<"), std::string::npos) << "an axis bears the name of its table";
  // Options of the command line come after those of the files.
  const Said coarse = say({"--suite", k_kernels, "--compare", table, "--atomics=coarse", "-j", "1"});
  EXPECT_EQ(coarse.code, 1);
  EXPECT_NE(coarse.out.find("last-block.cu: verified before, now refuted"), std::string::npos) << coarse.out;
  EXPECT_EQ(say({"--suite", k_kernels, "--plot", plot}).code, 2);
  EXPECT_EQ(say({"--suite", k_kernels, "--compare", k_kernels + "/copy.cl"}).code, 2);
}

TEST(GateErrors, kind_errors) {
  EXPECT_EQ(say({}).code, 2);
  EXPECT_NE(say({}).err.find("needs a kernel file"), std::string::npos);
  EXPECT_EQ(say({"--nonsense"}).code, 2);
  EXPECT_EQ(say({"--help"}).code, 0);
  EXPECT_EQ(say({"--suite", "/nowhere", "x.cl"}).code, 2);
  if (!verifier()) return;
  EXPECT_EQ(say({"--suite", "/nowhere"}).code, 2);
  EXPECT_EQ(say({"--suite", k_kernels, "--format=json"}).code, 2);
  EXPECT_EQ(say({"/nowhere.cl", "--local_size=1", "--num_groups=1"}).code, 2);
  EXPECT_EQ(say({"a.cl", "b.cl"}).code, 2);
}

TEST(Judge, endings_and_patterns) {
  launch::Header h;
  h.expected = launch::Ending::not_all_verified;
  h.patterns = {"race on a"};
  launch::Answer a;
  a.exit_code = 1;
  a.ending = launch::Ending::not_all_verified;
  a.err = "possible race on a[3]\n";
  EXPECT_EQ(judge(h, a), "");
  a.err = "possible race on b[3]\n";
  EXPECT_EQ(judge(h, a), "the output has no 'race on a'");
  a.ending = launch::Ending::success;
  a.exit_code = 0;
  EXPECT_EQ(judge(h, a), "expected NOT_ALL_VERIFIED, got pass");
  a.exit_code = 3;
  a.ending = launch::Ending::boogie_other_error;
  EXPECT_EQ(judge(h, a), "expected NOT_ALL_VERIFIED, got no decision");  // never a pass
}

// The whole suite of the reference, by its own header lines; the number goes up with the verifier.
TEST_F(Gate, the_reference_suite) {
  const char* folder = std::getenv("FENCEPOST_GPUVERIFY_SUITE");
  if (folder == nullptr) GTEST_SKIP() << "FENCEPOST_GPUVERIFY_SUITE names no folder of kernels";
  const Said s = say({"--suite", folder, "--profile=gpuverify", "--list-failures", "--timeout=5"});
  printf("%s", s.out.c_str());
  const size_t at = s.out.find(" passed");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::stoul(s.out.substr(s.out.rfind('\n', at) + 1)), 640u);
  // Nothing that is to fail is verified.
  EXPECT_EQ(s.out.find("expected NOT_ALL_VERIFIED, got pass"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::driver
