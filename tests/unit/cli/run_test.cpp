// The verbs that use devices, on the device that is only a definition.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/verbs.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class RunVerb : public testing::Test {
 protected:
  RunVerb() {
    char name[] = "/tmp/fencepost-run-XXXXXX";
    dir_ = mkdtemp(name);
    sb_ = write("sb.litmus",
                "PTX SB\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;\n st.relaxed.gpu x, 1  | "
                "st.relaxed.gpu y, 1  ;\n"
                " ld.relaxed.gpu r0, y | ld.relaxed.gpu r1, x ;\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n");
    two_ = write("two.litmus",
                 "PTX two\n{ x = 0; }\n P0@cta 0,gpu 0      | P1@cta 0,gpu 1       ;\n st.relaxed.gpu x, 1 | "
                 "ld.relaxed.gpu r0, x ;\n"
                 "exists (P1:r0 = 1)\n");
  }
  ~RunVerb() override { fs::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path p = fs::path(dir_) / name;
    std::ofstream(p) << text;
    return p.string();
  }
  std::string read(const std::string& name) const {
    std::ifstream f(fs::path(dir_) / name);
    return {std::istreambuf_iterator<char>(f), {}};
  }
  std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "run", "--device", "reference", "--iterations", "2000", "--parameters", "stress=off,pre-stress=off,rounds=50"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string dir_, sb_, two_;
};

TEST_F(RunVerb, StatesStandBesideWhatTheModelSays) {
  const Ran r = run_with(command({sb_}));
  EXPECT_EQ(r.code, k_exit_holds) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(has(r.out, "reference (sequential executor), mode parallel, D-cta:S-ker-Global, seed 1\n")) << r.out;
  EXPECT_TRUE(has(r.out, "0:r0=1; 1:r1=0;                          allowed\n")) << r.out;
  EXPECT_TRUE(has(r.out, "model ptx-7.5: 4 states allowed, 1 not observed\n")) << r.out;
  EXPECT_FALSE(has(run_with(command({"--no-model", sb_})).out, "model"));
}

TEST_F(RunVerb, AForbiddenStateIsLoudAndExitsOne) {
  const std::string model =
      write("alone.cat", "\"Nobody reads what another wrote\"\n(* dialect: ptx *)\nempty rf & ext as alone\n");
  const Ran r = run_with(command({"--model", model, "--csv", sb_}));
  EXPECT_EQ(r.code, k_exit_fails) << r.err << r.out;
  EXPECT_TRUE(has(r.out, ",forbidden,as-written,as-written,1\n")) << r.out;
  const Ran text = run_with(command({"--model", model, sb_}));
  EXPECT_EQ(text.code, k_exit_fails);
  EXPECT_TRUE(has(text.out, "FORBIDDEN: 0:r0=1; 1:r1=0; seen ")) << text.out;
}

TEST_F(RunVerb, LogAndJson) {
  const Ran r = run_with(command({"--json", "--series", "3", "--log", dir_ + "/out.log", sb_}));
  EXPECT_EQ(r.code, k_exit_holds) << r.err;
  EXPECT_TRUE(has(r.out, "\"schema\": \"fencepost.run/1\""));
  EXPECT_TRUE(has(r.out, "\"complete\": true"));
  EXPECT_TRUE(has(r.out, "\"series\": []"));
  const std::string log = read("out.log");
  EXPECT_TRUE(log.starts_with("Test SB Allowed\nHistogram (3 states)\n")) << log;
  EXPECT_TRUE(has(log, "\nNo\n\nWitnesses\nPositive: 0, Negative: ")) << log;
  EXPECT_TRUE(has(log, "Observation SB Never 0 ")) << log;
}

TEST_F(RunVerb, WhatCannotBeRunIsNamedAndTheRestRuns) {
  const Ran r = run_with(command({two_, sb_}));
  EXPECT_EQ(r.code, k_exit_undecided);
  EXPECT_TRUE(has(r.err, "P0 and P1 are in two gpus, and a launch has one")) << r.err;
  EXPECT_TRUE(has(r.out, "1 tests run, 1 not run, 0 with states that the model forbids\n")) << r.out;
}

TEST_F(RunVerb, MistakesExitTwoWithAHint) {
  const Ran device = run_with({"run", "--device", "cpuu", sb_});
  EXPECT_EQ(device.code, k_exit_bad_input);
  EXPECT_TRUE(has(device.err, "hint")) << device.err;
  const Ran parameter = run_with({"run", "--device", "reference", "--parameters", "strid=2", sb_});
  EXPECT_EQ(parameter.code, k_exit_bad_input);
  EXPECT_TRUE(has(parameter.err, "did you mean 'stride'?")) << parameter.err;
  const Ran value = run_with(command({"--rounds", "65536", sb_}));
  EXPECT_EQ(value.code, k_exit_bad_input);
  EXPECT_TRUE(has(value.err, "rounds=65536 need more memory than a launch may use")) << value.err;
}

TEST_F(RunVerb, AHungDeviceCostsOneTest) {
  // The first command's device is lost; the next one is as before.
  const Ran r = run_with({"run", "--device", "reference:die", "--iterations", "100000000", "--parameters",
                          "stress=off,rounds=20", sb_, sb_});
  EXPECT_EQ(r.code, k_exit_undecided);
  EXPECT_TRUE(has(r.err, "the run was lost: the process that ran it died of signal 6")) << r.err;
  EXPECT_TRUE(has(r.out, "0 tests run, 2 not run")) << r.out;
}

TEST_F(RunVerb, DevicesAreListed) {
  const Ran r = run_with({"devices"});
  EXPECT_EQ(r.code, k_exit_holds);
  EXPECT_TRUE(r.out.starts_with("cpu ")) << r.out;
  EXPECT_TRUE(has(run_with({"devices", "--json"}).out, "\"schema\": \"fencepost.devices/1\""));
}

}  // namespace
