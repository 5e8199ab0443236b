// The verb prove as a user meets it, with the verifier opened at run time.
#include "gate/gate.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fencepost::gate {
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
  EXPECT_NE(s.out.find("7 passed, 0 failed"), std::string::npos) << s.out;
}

TEST_F(Gate, one_file) {
  EXPECT_EQ(say({"--local_size=64", "--num_groups=4", k_kernels + "/copy.cl"}).code, 0);
  EXPECT_EQ(say({"--local_size=64", "--num_groups=4", k_kernels + "/shift.cl"}).code, 1);
}

TEST(GateErrors, kind_errors) {
  EXPECT_EQ(say({}).code, 2);
  EXPECT_NE(say({}).err.find("needs a kernel file"), std::string::npos);
  EXPECT_EQ(say({"--nonsense"}).code, 2);
  EXPECT_EQ(say({"--help"}).code, 0);
  EXPECT_EQ(say({"--suite", "/nowhere", "x.cl"}).code, 2);
  if (!verifier()) return;
  EXPECT_EQ(say({"--suite", "/nowhere"}).code, 2);
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
  const Said s = say({"--suite", folder, "--list-failures", "--timeout=5"});
  printf("%s", s.out.c_str());
  const size_t at = s.out.find(" passed");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::stoul(s.out.substr(s.out.rfind('\n', at) + 1)), 530u);
}

}  // namespace
}  // namespace fencepost::gate
