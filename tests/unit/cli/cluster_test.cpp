// Clusters of CTAs, from the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/verbs.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ClusterVerbs : public testing::Test {
 protected:
  ClusterVerbs() {
    char name[] = "/tmp/fencepost-cluster-XXXXXX";
    dir_ = mkdtemp(name);
    one_ = write("one.litmus", mp("cta 0, cluster 0, gpu 0", "cta 1, cluster 0, gpu 0", "cluster"));
    two_ = write("two.litmus", mp("cta 0, cluster 0, gpu 0", "cta 1, cluster 1, gpu 0", "cluster"));
    plain_ = write("plain.litmus", mp("cta 0, gpu 0", "cta 1, gpu 0", "gpu"));
  }
  ~ClusterVerbs() override { fs::remove_all(dir_); }
  static std::string mp(const std::string& a, const std::string& b, const std::string& scope) {
    const std::string f = "fence.acq_rel." + scope, o = "relaxed." + scope;
    return "PTX MP\n{ x = 0; y = 0; }\n P0@" + a + " | P1@" + b + " ;\n st." + o + " x, 1 | ld." + o + " r0, y ;\n " +
           f + " | " + f + " ;\n st." + o + " y, 1 | ld." + o + " r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
  }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path p = fs::path(dir_) / name;
    std::ofstream(p) << text;
    return p.string();
  }
  std::vector<std::string> run(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "run", "--device", "reference", "--iterations", "1000", "--parameters", "stress=off,pre-stress=off,rounds=20"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string dir_, one_, two_, plain_;
};

// A CUDA test has a model of its own, which its file name does not tell.
TEST(DefaultModel, OfCudaTests) {
  const std::string file = std::string(FENCEPOST_SOURCE_DIR) + "/examples/lowering/mp-threadfence.litmus";
  EXPECT_TRUE(has(run_with({"check", "--json", file}).out, "\"cuda\""));
  EXPECT_TRUE(has(run_with({"check", "--json", "--model", "opencl", file}).out, "\"opencl\""));
}

TEST_F(ClusterVerbs, TheModelIsTheOneThatKnowsThem) {
  const Ran one = run_with({"check", one_}), two = run_with({"check", two_});
  EXPECT_EQ(one.code, k_exit_fails) << one.out << one.err;
  EXPECT_EQ(two.code, k_exit_holds) << two.out << two.err;
  EXPECT_TRUE(has(run_with({"check", "--json", one_}).out, "ptx-8"));
  EXPECT_TRUE(has(run_with({"check", "--json", plain_}).out, "ptx-7.5"));
  EXPECT_EQ(run_with({"explain", one_}).code, k_exit_fails);
  EXPECT_TRUE(has(run_with({"explain", one_}).out, "cluster 0")) << run_with({"explain", one_}).out;
  EXPECT_EQ(run_with({"outcomes", one_}).code, k_exit_holds);
  for (const char* verb : {"check", "outcomes", "explain", "relax"}) {
    const Ran old = run_with({verb, "--model", "ptx-7.5", one_});
    EXPECT_EQ(old.code, k_exit_undecided) << verb << old.out << old.err;
    EXPECT_TRUE(has(old.err + old.out,
                    "one.litmus:4:2: error: unsupported: 'st.relaxed.cluster' has the scope .cluster, and the model "
                    "ptx-7.5 does not know it"))
        << verb << old.err << old.out;
    EXPECT_TRUE(has(old.err + old.out, "use --model ptx-8")) << verb;
  }
  const std::string placed = write("placed.litmus", mp("cta 0, cluster 0, gpu 0", "cta 1, cluster 0, gpu 0", "gpu"));
  for (const char* model : {"ptx-8", "ptx-7.5", "ptx-6.0"})
    EXPECT_EQ(run_with({"check", "--model", model, placed}).code, k_exit_fails);
  EXPECT_EQ(run_with({"diff-models", "ptx-7.5", "ptx-8", one_}).code, k_exit_undecided);
  EXPECT_TRUE(has(run_with({"relax", one_}).out, "fence.acq_rel.cluster"));
}

TEST_F(ClusterVerbs, RunPlacesThem) {
  const Ran one = run_with(run({one_}));
  EXPECT_EQ(one.code, k_exit_holds) << one.out << one.err;
  EXPECT_TRUE(has(one.out, "D-cta:S-cluster-Global, seed 1")) << one.out;
  EXPECT_TRUE(has(one.out, "model ptx-8: 3 states allowed")) << one.out;
  const Ran two = run_with(run({two_}));
  EXPECT_TRUE(has(two.out, "D-cluster:S-ker-Global, seed 1")) << two.out;
  EXPECT_TRUE(has(two.out, "model ptx-8: 4 states allowed")) << two.out;
  const Ran wide = run_with(run({"--cluster", "4", "--json", one_}));
  EXPECT_EQ(wide.code, k_exit_holds) << wide.err;
  EXPECT_TRUE(has(wide.out, ",cluster=4\"")) << wide.out;
  const Ran plain = run_with(run({"--json", plain_})), launched = run_with(run({"--cluster", "2", "--json", plain_}));
  EXPECT_FALSE(has(plain.out, "cluster="));
  EXPECT_EQ(launched.code, k_exit_holds) << launched.err;
  EXPECT_TRUE(has(launched.out, ",cluster=2\"")) << launched.out;
  EXPECT_EQ(run_with(run({"--cluster", "3", one_})).code, k_exit_bad_input);
  EXPECT_EQ(run_with(run({"--cluster", "16", one_})).code, k_exit_bad_input) << "more than the device has";
}

TEST_F(ClusterVerbs, DevicesAndTargetsWithoutThemRefuseByName) {
  const Ran cpu = run_with({"run", "--device", "cpu", "--iterations", "10", one_});
  EXPECT_EQ(cpu.code, k_exit_undecided) << cpu.out << cpu.err;
  EXPECT_TRUE(has(cpu.out + cpu.err, "the test places its threads in clusters, and this device has none"))
      << cpu.out << cpu.err;
  const Ran option = run_with({"run", "--device", "cpu", "--iterations", "10", "--cluster", "2", plain_});
  EXPECT_EQ(option.code, k_exit_bad_input) << option.out << option.err;
  EXPECT_TRUE(has(option.out + option.err, "the parameter cluster cannot be met: this device has no clusters"))
      << option.out << option.err;
  for (const char* target : {"cuda-source", "ptx"}) {
    const Ran made = run_with({"emit", "--target", target, one_});
    EXPECT_EQ(made.code, k_exit_holds) << made.err;
    EXPECT_TRUE(has(made.out, "in clusters of 2")) << target;
    EXPECT_TRUE(
        has(run_with({"emit", "--target", target, "--parameters", "cluster=8", plain_}).out, "in clusters of 8"))
        << target;
    EXPECT_FALSE(has(run_with({"emit", "--target", target, plain_}).out, "clusters of"));
  }
  const std::string scope = write("scope.litmus", mp("cta 0, gpu 0", "cta 1, gpu 0", "cluster"));
  for (const auto& [target, file] : {std::pair{"cpp", one_}, {"cpp", scope}, {"metal", scope}}) {
    const Ran made = run_with({"emit", "--target", target, file});
    EXPECT_EQ(made.code, k_exit_undecided) << target << made.err;
    EXPECT_TRUE(has(made.err, "cluster")) << target << made.err;
  }
}

TEST_F(ClusterVerbs, CampaignsKeepAndJudgeThem) {
  const std::string plan =
      write("plan.toml",
            "name = \"c\"\ntests = [\"one.litmus\", \"two.litmus\"]\ndevices = [\"reference\"]\niterations = "
            "500\nweakenings = true\n[[configuration]]\nname = \"a\"\nparameters = "
            "\"stress=off,rounds=10,cluster=2..4\"\n");
  const std::string store = dir_ + "/c.db";
  const Ran ran = run_with({"campaign", plan, "--store", store});
  EXPECT_EQ(ran.code, k_exit_holds) << ran.out << ran.err;
  const Ran judged = run_with({"judge", store, "--json"});
  EXPECT_EQ(judged.code, k_exit_holds) << judged.out << judged.err;
  EXPECT_TRUE(has(judged.out, "\"ptx-8\"")) << judged.out;
  // A model that does not know the scope decides nothing.
  const Ran old = run_with({"judge", store, "--model", "ptx-7.5"});
  EXPECT_EQ(old.code, k_exit_undecided) << old.out << old.err;
  EXPECT_FALSE(has(old.out, "consistent  ")) << old.out;
}

TEST_F(ClusterVerbs, GenMakesAndDecidesThem) {
  const Ran r = run_with({"gen", "MP+fence.acq_rel.clusters@0~1", "MP+fence.acq_rel.clusters@~0.1", "--access",
                          "relaxed.gpu", "--decide"});
  EXPECT_EQ(r.code, k_exit_holds) << r.err;
  EXPECT_TRUE(has(r.out, "forbidden  MP+fence.acq_rel.clusters@0~1\n")) << r.out;
  EXPECT_TRUE(has(r.out, "allowed    MP+fence.acq_rel.clusters@~0.1\n")) << r.out;
  const Ran old =
      run_with({"gen", "MP+fence.acq_rel.clusters@0~1", "--access", "relaxed.gpu", "--decide", "--model", "ptx-7.5"});
  EXPECT_EQ(old.code, k_exit_undecided) << old.out << old.err;
}

}  // namespace
