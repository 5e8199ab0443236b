// --trace: what the engines did stands on standard error, and only where it is asked for.
#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace fencepost::cli {
namespace {

const std::string k_mp = FENCEPOST_SOURCE_DIR "/examples/ptx/MP.litmus";

std::pair<Ran, std::string> traced(std::vector<std::string> args) {
  testing::internal::CaptureStderr();
  Ran r = run_with(args);
  return {std::move(r), testing::internal::GetCapturedStderr()};
}

TEST(Trace, TellsWhatEachRoomDid) {
  const auto [ran, all] = traced({"check", k_mp, "--engine", "solve", "--trace", "check,encode"});
  EXPECT_LE(ran.code, 1) << ran.err;
  EXPECT_NE(all.find("trace encode: unrolled to bound 1: "), std::string::npos) << all;
  EXPECT_NE(all.find("trace check: asked for an execution with the asked end: "), std::string::npos) << all;
  EXPECT_NE(all.find("trace check: bound 1: solve says "), std::string::npos) << all;

  const auto [one, check] = traced({"check", k_mp, "--engine", "enumerate", "--trace", "check"});
  EXPECT_NE(check.find("trace check: enumerate: "), std::string::npos) << check;
  EXPECT_EQ(check.find("trace encode"), std::string::npos) << check;
  EXPECT_EQ(one.out, ran.out.substr(0, one.out.size())) << "the answer does not depend on it";
}

TEST(Trace, TellsOfProgressTests) {
  const std::string test = FENCEPOST_SOURCE_DIR "/examples/progress/barrier.axb";
  const auto [ran, all] = traced({"progress", "check", test, "--model", "OBE", "--trace", "oracle"});
  EXPECT_LE(ran.code, 1) << ran.err;
  EXPECT_NE(all.find("trace oracle: obe, weak fairness: "), std::string::npos) << all;
  EXPECT_NE(all.find(" components hold a cycle, "), std::string::npos) << all;
}

// `prove` reads its options itself, and its engine stands in a library of its own.
TEST(Trace, TellsOfProofs) {
  const std::string kernel = FENCEPOST_SOURCE_DIR "/examples/kernels/reverse.cl";
  const auto [ran, all] = traced({"prove", "--local_size=64", "--num_groups=4", "--trace=prove", kernel});
  if (ran.code == 3) GTEST_SKIP() << "built without clang 19";
  EXPECT_NE(all.find("trace prove: round 1: "), std::string::npos) << all;
  EXPECT_NE(all.find("trace prove: races: "), std::string::npos) << all;
  EXPECT_EQ(traced({"prove", "--local_size=64", "--num_groups=4", kernel}).second, "");
  EXPECT_EQ(run_with({"prove", "--local_size=64", "--num_groups=4", "--trace=check", kernel}).code, 2);
}

TEST(Trace, IsOffForTheNextQuestion) {
  traced({"check", k_mp, "--trace", "check,encode"});
  EXPECT_EQ(traced({"check", k_mp}).second, "");
}

TEST(Trace, ARoomThatDoesNotTraceIsRefused) {
  const Ran r = run_with({"check", k_mp, "--trace", "check,sat"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE((r.err + r.out).find("'sat' is not a room that can be traced"), std::string::npos) << r.err << r.out;
  EXPECT_NE((r.err + r.out).find("rooms are check, encode, oracle, prove"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cli
