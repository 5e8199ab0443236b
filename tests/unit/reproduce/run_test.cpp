// Reproducers are whole files: compilers take them, and the host code runs against a driver that keeps books.
#include "reproduce/run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/cuda/assembler.h"
#include "front/litmus.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

struct Made {
  plan::Program program;
  plan::Configuration configuration;
};

Made make(const std::string& example) {
  const auto tests = front::parse_file(FENCEPOST_SOURCE_DIR "/examples/" + example + ".litmus");
  EXPECT_TRUE(tests);
  plan::Target target = reproduce::h200();
  target.memory_words = 1 << 20;
  auto program = plan::make_program(tests->front(), target, {});
  EXPECT_TRUE(program);
  auto configuration = plan::draw(*program, target, {}, 7, 0);
  EXPECT_TRUE(configuration);
  return {std::move(*program), std::move(*configuration)};
}

const reproduce::Origin k_origin{"fencepost test", "fencepost emit MP.litmus"};

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
  const auto text = reproduce::ptx(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text);
  EXPECT_FALSE(device::cuda::assemble(*ptxas, *text, 90).cubin.empty())
      << device::cuda::assemble(*ptxas, *text, 90).message;
  EXPECT_EQ(*text, *reproduce::ptx(m.program, m.configuration, 90, k_origin));
  for (const auto& k : m.program.kernels) EXPECT_NE(text->find(".entry " + k.name + "("), std::string::npos);
}

TEST_F(Reproducer, CudaSourcesRunAgainstADriver) {
  const fs::path toolkit = "/usr/local/cuda/include/cuda.h";
  if (!fs::exists(toolkit)) GTEST_SKIP() << "no cuda.h: the CUDA toolkit is not installed";
  const Made m = make("thesis/MP");
  const auto text = reproduce::cuda_source(m.program, m.configuration, 90, k_origin);
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

TEST_F(Reproducer, CudaSourcesAreForNvcc) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0 && !fs::exists("/usr/local/cuda/bin/nvcc"))
    GTEST_SKIP() << "no nvcc: the CUDA toolkit is not installed";
  const Made m = make("thesis/CoRR");
  const auto text = reproduce::cuda_source(m.program, m.configuration, 90, k_origin);
  ASSERT_TRUE(text);
  std::ofstream(path / "corr.cu") << *text;
  EXPECT_EQ(run("PATH=\"$PATH:/usr/local/cuda/bin\" nvcc -c corr.cu -o corr.o"), 0) << log();
}
