// Reproducers are whole files: compilers take them, and the host code runs against a driver that keeps books.
#include "standalone/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/cuda/assembler.h"
#include "emit/kernel_cpp.h"
#include "emit/kernel_metal.h"
#include "emit/kernel_opencl.h"
#include "emit/kernel_spirv.h"
#include "emit/kernel_text.h"
#include "read/read.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

struct Made {
  plan::Program program;
  plan::Configuration configuration;
};

Made make(const std::string& example, uint32_t cluster = 0) {
  const auto tests = read::parse_file(FENCEPOST_SOURCE_DIR "/examples/" + example + ".litmus");
  EXPECT_TRUE(tests);
  plan::Target target = standalone::h200();
  target.memory_words = 1 << 20;
  auto program = plan::make_program(tests->front(), target, {});
  EXPECT_TRUE(program);
  plan::Parameters parameters;
  if (cluster > 0) parameters.fix(plan::ParameterId::cluster, cluster);
  auto configuration = plan::draw(*program, target, parameters, 7, 0);
  EXPECT_TRUE(configuration);
  return {std::move(*program), std::move(*configuration)};
}

const standalone::Origin k_origin{"fencepost test", "fencepost emit MP.litmus"};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "reproduce-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    path = name;
  }
  void TearDown() override { fs::remove_all(path); }
  int run(const std::string& command) const {
    return WEXITSTATUS(std::system(("cd '" + path.string() + "' && " + command + " > log 2>&1").c_str()));
  }
  std::string log() const { return text_of(path / "log"); }
  fs::path path;
};
using Reproducer = Folder;

}  // namespace

TEST_F(Reproducer, PtxModulesAssemble) {
  const auto ptxas = device::cuda::find_assembler();
  if (!ptxas) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS or put it on the PATH";
  const Made m = make("thesis/MP");
  const auto text = standalone::ptx(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text);
  EXPECT_FALSE(device::cuda::assemble(*ptxas, *text, 90).cubin.empty())
      << device::cuda::assemble(*ptxas, *text, 90).message;
  EXPECT_EQ(*text, *standalone::ptx(m.program, m.configuration, 90, k_origin));
  for (const auto& k : m.program.kernels) EXPECT_NE(text->find(".entry " + k.name + "("), std::string::npos);
}

TEST_F(Reproducer, CudaSourcesRunAgainstADriver) {
  const fs::path toolkit = "/usr/local/cuda/include/cuda.h";
  if (!fs::exists(toolkit)) GTEST_SKIP() << "no cuda.h: the CUDA toolkit is not installed";
  const Made m = make("thesis/MP");
  const auto text = standalone::cuda_source(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text);
  std::ofstream(path / "mp.cpp") << *text;
  // The driver that keeps books stands for libcuda.
  ASSERT_EQ(run("c++ -std=c++17 -Wall -Wextra -Werror -I/usr/local/cuda/include mp.cpp -o mp " FENCEPOST_FAKE_CUDA
                " -Wl,-rpath," +
                fs::path(FENCEPOST_FAKE_CUDA).parent_path().string()),
            0)
      << log();
  ASSERT_EQ(run("./mp 3"), 3) << log();  // it runs nothing, so that no instance is counted
  EXPECT_NE(log().find("CORRUPT: 0 undecodable, 0 of"), std::string::npos) << log();
}

TEST_F(Reproducer, LaunchesInClusters) {
  const Made m = make("clusters/MP+fence.acq_rel.clusters@0~1"),
             large = make("clusters/MP+fence.acq_rel.clusters@0~1", 16);
  EXPECT_EQ(m.configuration.cluster, 2u);
  const auto text = standalone::ptx(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text) << render(text.error());
  for (const char* what : {"%clusterid.x;", "%cluster_ctarank;", "%cluster_nctarank;", "fence.acq_rel.cluster;",
                           "st.relaxed.cluster.global.b32", "ld.relaxed.cluster.global.b32", ".target sm_90"})
    EXPECT_NE(text->find(what), std::string::npos) << what;
  EXPECT_NE(
      text->find(fmt::format("test(parameters, memory, results, sync, scratch): {} workgroups of {}, in clusters of 2",
                             m.configuration.groups, m.configuration.lanes)),
      std::string::npos);
  EXPECT_NE(text->find(",cluster=2\n"), std::string::npos) << "the parameters as drawn";
  const auto source = standalone::cuda_source(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(source);
  EXPECT_NE(source->find("in_clusters.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;"), std::string::npos);
  EXPECT_NE(source->find(fmt::format("launch(\"test\", test_uses, test_count, {}, {}, 2);", m.configuration.groups,
                                     m.configuration.lanes)),
            std::string::npos);
  EXPECT_EQ(source->find('@' + std::string("LAUNCH")), std::string::npos);
  const auto sixteen = standalone::cuda_source(large.program, large.configuration, 90, k_origin);
  ASSERT_TRUE(sixteen);
  EXPECT_NE(sixteen->find(fmt::format(", {}, 16);", large.configuration.lanes)), std::string::npos);
  // Those without are what they were.
  const Made plain = make("thesis/MP");
  const auto before = standalone::cuda_source(plain.program, plain.configuration, 90, k_origin);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->find("cluster"), std::string::npos);
  EXPECT_NE(before->find("cuLaunchKernel(function, groups"), std::string::npos);
  // An older architecture has none, and no other language has them.
  const auto old = standalone::ptx(m.program, m.configuration, 80, k_origin);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().list.front().message, "'st.relaxed.cluster' has the scope .cluster, and sm_80 has no clusters");
  const code::Kernel& test = m.program.kernels[1];
  for (const auto& error :
       {emit::kernel_cpp(test).error(), emit::kernel_metal(test).error(),
        emit::kernel_opencl({test}, emit::OpenclKind::inline_ptx).error(), emit::kernel_spirv({test}).error()}) {
    EXPECT_NE(error.list.front().message.find("'st.relaxed.cluster' has the scope .cluster, which "), std::string::npos)
        << error.list.front().message;
    EXPECT_EQ(error.list.front().fault, Fault::unsupported);
  }
  code::Kernel placed = test;  // clusters without the scope
  placed.operations.clear();
  EXPECT_NE(emit::refuse_clusters(placed, "X")
                .error()
                .list.front()
                .message.find("are placed in clusters, which X does not have"),
            std::string::npos);
}

TEST_F(Reproducer, CudaSourcesAreForNvcc) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0 && !fs::exists("/usr/local/cuda/bin/nvcc"))
    GTEST_SKIP() << "no nvcc: the CUDA toolkit is not installed";
  const Made m = make("thesis/CoRR");
  const auto text = standalone::cuda_source(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text);
  std::ofstream(path / "corr.cu") << *text;
  EXPECT_EQ(run("PATH=\"$PATH:/usr/local/cuda/bin\" nvcc -c corr.cu -o corr.o"), 0) << log();
}
