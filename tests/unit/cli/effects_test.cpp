// Nothing on the command line is without effect, and nothing that was asked is left unsaid.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ran.h"

namespace fencepost::cli {
namespace {

namespace fs = std::filesystem;

class Effects : public testing::Test {
 protected:
  Effects() {
    char name[] = "/tmp/fencepost-effects-XXXXXX";
    dir_ = mkdtemp(name);
  }
  ~Effects() override { fs::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path p = fs::path(dir_) / name;
    std::ofstream(p) << text;
    return p.string();
  }
  std::string shader() const {
    return write("one.comp",
                 "#version 450\nlayout(local_size_x=1) in;\nlayout(set=0,binding=0) buffer B { uint x; };\n"
                 "// @Output: forall (x == 1)\nvoid main() { x = 1; }\n");
  }
  // Message passing without any order: it races under the PTX models.
  std::string mp(const std::string& store = "weak", const std::string& load = "weak") const {
    return write("mp-" + store + "-" + load + ".litmus",
                 "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld." + load +
                     " r0, f ;\n st." + store + " f, 1 | ld.weak r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 1)\n");
  }

  std::string dir_;
};

TEST_F(Effects, OptionsOfAnotherQuestionAreRefused) {
  const std::string s = shader(), m = mp();
  const std::vector<std::vector<std::string>> refused = {
      {"check", "--progress", "HSA", s},
      {"check", "--liveness", "scoped", m},
      {"check", "--liveness", "co", "--property", "races", m},
      {"explain", "--progress", "HSA", m},
      {"diff-models", "--progress", "HSA", "sc", "ptx-7.5", m},
      {"relax", "--keep", "condition", "--progress", "HSA", m},
      {"check", "--condition", "forall (x == 1)", "--exists", "x == 1", s},
      {"outcomes", "--condition", "forall (x == 1)", "--exists", "x == 1", s},
      {"check", "--property", "races", "--exists", "x == 1", s},
      {"check", "--no-spurious-failures", m},
      {"outcomes", "--no-spurious-failures", s},
      {"outcomes", "--operational", "--engine", "solve", m},
      {"gen", "--cycle", "PodWW Rfe PodRR Fre", "--model", "sc"},
      {"gen", "--cycle", "PodWW Rfe PodRR Fre", "--reads", "weak"},
      {"gen", "--thesis", "-d", "OPENCL"},
      {"gen", "--thesis", "--rows", "--access", "relaxed.gpu"},
      {"gen", "--thesis", "--threads", "3"},
      {"gen", "MP", "--threads", "4"},
      {"tune", "--replay", "x.db", "--device", "reference"},
      {"tune", "--replay", "x.db", "--strategy", "peek"},
      {"tune", "--replay", "x.db", "--configurations", "8"},
      {"tune", "--replay", "x.db", "-o", "x.toml"},
      {"tune", "--replay", "x.db", "--store", "y.db"},
      {"tune", "--explore", "--strategy", "peek", m},
      {"tune", "--ablate", "--first-rounds", "2", m},
      {"tune", "--repeats", "2", m},
      {"tune", "--executions", "20", m},
      {"tune", "--peeks", "3", m},
      {"check", "--seed", "7", m},
      {"run", "--no-model", "--engine", "solve", m},
      {"emit", "--inline-ptx", m},
  };
  for (const auto& args : refused) {
    const Ran r = run_with(args);
    EXPECT_EQ(r.code, 2) << args[0] << " " << args[1] << r.err;
    EXPECT_NE(r.err.find("hint: "), std::string::npos) << args[0] << " " << args[1] << r.err;
    EXPECT_EQ(r.out, "") << args[0] << " " << args[1];
  }
  EXPECT_EQ(run_with({"check", "--property", "termination", "--progress", "HSA", "--liveness", "scoped", m}).code, 0);
  EXPECT_EQ(run_with({"check", "--exists", "x == 1", s}).code, 0);
}

TEST_F(Effects, BoundsOfAnotherProgramAreRefused) {
  const std::string loop = write("loop.litmus",
                                 "PTX loop\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n LC00: | st.weak x, 1 ;\n "
                                 "ld.weak r0, x | ;\n bne r0, 1, LC00 | ;\nexists (P0:r0 = 1)\n");
  const std::string bounds = dir_ + "/loop.bounds";
  ASSERT_EQ(run_with({"check", "--bound", "2", "--save-bounds", bounds, loop}).code, 0);
  EXPECT_EQ(run_with({"check", "--bounds", bounds, loop}).code, 0);
  for (const std::string verb : {"check", "outcomes", "explain"}) {
    const Ran r = run_with({verb, "--bounds", bounds, mp()});
    EXPECT_EQ(r.code, 2) << verb << r.out;
    EXPECT_NE(r.err.find("hint: "), std::string::npos) << r.err;
  }
}

TEST_F(Effects, ErrorsOfTheInputAreJsonToo) {
  const std::string bad = write("bad.litmus", "PTX x\n{");
  for (const std::string verb : {"check", "outcomes", "explain", "relax"}) {
    const Ran r = run_with({verb, "--json", bad});
    EXPECT_EQ(r.code, 2) << verb;
    EXPECT_NE(r.out.find("\"schema\": \"fencepost.error/1\""), std::string::npos) << verb << r.out;
    EXPECT_NE(r.out.find("bad.litmus:2:2"), std::string::npos) << verb << r.out;
  }
  const Ran r = run_with({"refine", "--json", bad, mp()});
  EXPECT_NE(r.out.find("\"schema\": \"fencepost.error/1\""), std::string::npos) << r.out;
}

TEST_F(Effects, BothEnginesCountWhatSatisfiesTheCondition) {
  for (const std::string engine : {"solve", "enumerate", "both"}) {
    const Ran r = run_with({"outcomes", "--engine", engine, mp()});
    EXPECT_NE(r.out.find("\nOk\n"), std::string::npos) << engine << r.out;
    EXPECT_NE(r.out.find("Sometimes"), std::string::npos) << engine << r.out;
    EXPECT_NE(r.out.find("Flag data-race"), std::string::npos) << engine << r.out;
  }
}

TEST_F(Effects, RefinementSeesRacesOfPtx) {
  const std::string ordered = mp("release.gpu", "acquire.gpu"), plain = mp();
  // Both observe r0 = r1 = 1 among others; the plain one has the outcome r0 = 1, r1 = 0 as well, so compare with one
  // that asks for less.
  const std::string less = "{ x=0; f=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";
  const std::string racy =
      write("racy.litmus", "PTX a\n" + less + " st.weak x, 1 | ld.weak r0, x ;\nexists (P1:r0 = 1)\n");
  const std::string calm =
      write("calm.litmus", "PTX a\n" + less + " st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\nexists (P1:r0 = 1)\n");
  for (const std::string engine : {"auto", "solve", "enumerate", "both"}) {
    const Ran worse = run_with({"refine", "--engine", engine, calm, racy});
    EXPECT_EQ(worse.code, 1) << engine << worse.out;
    EXPECT_NE(worse.out.find("new flag: data-race"), std::string::npos) << worse.out;
    EXPECT_EQ(run_with({"refine", "--engine", engine, racy, calm}).code, 0) << engine;
    EXPECT_EQ(run_with({"refine", "--engine", engine, racy, racy}).code, 0) << engine;
  }
  EXPECT_EQ(run_with({"refine", ordered, plain}).code, 1);
}

TEST_F(Effects, ATargetThatNeverEndsIsNoRefinement) {
  const std::string source = mp();
  const std::string stuck = write(
      "stuck.litmus",
      "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.sync 0 | ld.weak r0, f ;\n | ld.weak r1, x "
      ";\n | bar.sync 1 ;\nexists (P1:r0 = 1 /\\ P1:r1 = 1)\n");
  const Ran r = run_with({"refine", source, stuck});
  EXPECT_EQ(r.code, 3) << r.out;
  EXPECT_NE(r.out.find("vacuous"), std::string::npos) << r.out;
  EXPECT_NE(run_with({"refine", "--json", source, stuck}).out.find("\"verdict\": \"vacuous\""), std::string::npos);
}

TEST_F(Effects, AnAnswerThatIsLostIsNoFaultOfOurs) {
  for (const std::string verb : {"check", "explain"}) {
    const Ran r = run_with({verb, "-w", "/dev/full", mp()});
    EXPECT_NE(r.code, 0) << verb;
    EXPECT_EQ(r.err.find("internal error"), std::string::npos) << r.err;
  }
}

TEST_F(Effects, ExplainSaysARaceOnce) {
  const Ran r = run_with({"explain", mp()});
  size_t said = 0;
  for (size_t at = r.out.find("data-race"); at != std::string::npos; at = r.out.find("data-race", at + 1)) ++said;
  EXPECT_EQ(said, 1u) << r.out;
}

}  // namespace
}  // namespace fencepost::cli
