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

TEST(Trace, TellsWhatTheSolverWasAsked) {
  const auto [ran, all] = traced({"check", k_mp, "--engine", "solve", "--trace", "sat"});
  EXPECT_NE(all.find("trace sat: question 1: sat, "), std::string::npos) << all;
  EXPECT_NE(all.find(" conflicts, "), std::string::npos) << all;
  EXPECT_EQ(all.find("trace check"), std::string::npos) << all;
  EXPECT_EQ(ran.out, traced({"check", k_mp, "--engine", "solve"}).first.out);
}

// One location: the states are looked at, or the room says why they are not.
TEST(Trace, TellsWhatWasExplored) {
  const std::string lock = FENCEPOST_SOURCE_DIR "/examples/liveness/livelock.litmus";
  const std::string two = FENCEPOST_SOURCE_DIR "/examples/liveness/mp-released.litmus";
  const auto told = [](const std::string& file) {
    return traced({"check", file, "--property", "termination", "--trace", "explicit"}).second;
  };
  const std::string states = told(lock), none = told(two);
  EXPECT_NE(states.find(" states and "), std::string::npos) << states;
  EXPECT_NE(none.find("trace explicit: termination is not decided by states: "), std::string::npos) << none;
}

TEST(Trace, IsOffForTheNextQuestion) {
  traced({"check", k_mp, "--trace", "check,encode"});
  EXPECT_EQ(traced({"check", k_mp}).second, "");
}

TEST(Trace, ARoomThatDoesNotTraceIsRefused) {
  const Ran r = run_with({"check", k_mp, "--trace", "check,bounds"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE((r.err + r.out).find("'bounds' is not a room that can be traced"), std::string::npos) << r.err << r.out;
  EXPECT_NE((r.err + r.out).find("rooms are check, encode, oracle, prove, explicit, sat"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cli
