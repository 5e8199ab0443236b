// --cuda-path: which folders are taken, and what is said of the others.
#include "launch/toolkit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "launch/options.h"

namespace fencepost::launch {
namespace {

namespace fs = std::filesystem;

class Toolkits : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("fencepost-toolkit-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  // A toolkit with nothing but what is looked for.
  std::string toolkit(const std::string& name, const std::string& version) {
    fs::create_directories(folder_ / name / "include");
    std::ofstream(folder_ / name / "include" / "cuda.h") << "// text\n#define CUDA_VERSION " << version << "\n";
    std::ofstream(folder_ / name / "include" / "cuda_runtime.h");
    return (folder_ / name).string();
  }
  static Environment environment(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const char* name) {
      const auto it = variables.find(name);
      return it == variables.end() ? std::string() : it->second;
    };
  }
  static std::string failure(const std::string& given, const Environment& e = environment({})) {
    const auto found = find_toolkit(given, e);
    return found ? "" : render(found.error());
  }

  fs::path folder_;
};

TEST_F(Toolkits, the_version_is_read_from_the_headers) {
  const auto found = find_toolkit(toolkit("a", "12090"), environment({}));
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(found->version, 12090u);
  EXPECT_EQ(version_name(found->version), "12.9");
}

TEST_F(Toolkits, a_folder_that_is_no_toolkit_is_an_error_with_a_hint) {
  EXPECT_NE(failure("/nowhere/cuda").find("'/nowhere/cuda' is not a folder"), std::string::npos);
  fs::create_directories(folder_ / "empty");
  EXPECT_NE(failure((folder_ / "empty").string()).find("holds no include/cuda.h"), std::string::npos);
  const std::string inside = failure(toolkit("a", "12090") + "/include");
  EXPECT_NE(inside.find("give the folder that holds 'include'"), std::string::npos) << inside;
  EXPECT_NE(failure(toolkit("b", "unknown")).find("does not say its CUDA_VERSION"), std::string::npos);
}

TEST_F(Toolkits, headers_that_clang_does_not_take_are_an_error) {
  const std::string later = failure(toolkit("a", "13050"));
  EXPECT_NE(later.find("those of CUDA 13.5"), std::string::npos) << later;
  EXPECT_NE(later.find("clang 19 takes those of 9.0 to 12.9"), std::string::npos) << later;
  EXPECT_NE(failure(toolkit("b", "8000")).find("those of CUDA 8.0"), std::string::npos);
}

TEST_F(Toolkits, the_environment_is_looked_at_for_the_word_env_alone) {
  const std::string a = toolkit("a", "12090"), b = toolkit("b", "12040");
  const auto found = find_toolkit("env", environment({{"CUDA_HOME", a + "/"}, {"CUDA_PATH", a}}));
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(found->folder, a);
  EXPECT_NE(failure("env").find("none of CUDA_PATH, CUDA_HOME and CUDA_ROOT is set"), std::string::npos);
  const std::string two = failure("env", environment({{"CUDA_HOME", a}, {"CUDA_PATH", b}}));
  EXPECT_NE(two.find("CUDA_PATH is '" + b + "', and CUDA_HOME is '" + a + "'"), std::string::npos) << two;
  const auto given = find_toolkit(b, environment({{"CUDA_HOME", a}}));
  ASSERT_TRUE(given);
  EXPECT_EQ(given->folder, b);
}

TEST_F(Toolkits, the_option_is_for_cuda_files_and_wide_addresses) {
  const auto settled = [&](std::vector<std::string> words, const std::string& name) {
    words.push_back("--cuda-path=" + toolkit("a", "12090"));
    auto o = parse(words);
    EXPECT_TRUE(o) << (o ? "" : render(o.error()));
    const auto ok = settle(*o, *make_source(name, "__global__ void k() {}\n"));
    return std::pair(ok ? "" : render(ok.error()), *o);
  };
  EXPECT_NE(settled({"--local_size=8", "--num_groups=2"}, "k.cl").first.find("--cuda-path is CUDA's"),
            std::string::npos);
  for (const char* word : {"--pointer-bitwidth=32", "--profile=gpuverify"})
    EXPECT_NE(settled({word}, "k.cu").first.find("for addresses of 64 bits"), std::string::npos) << word;
  const auto [said, o] = settled({}, "k.cu");
  EXPECT_EQ(said, "");
  EXPECT_EQ(o.cuda_version, 12090u);
  EXPECT_EQ(cuda_arch_of(o), 900u);
  EXPECT_EQ(cuda_arch_of(settled({"--cuda-arch=800"}, "k.cu").second), 800u);
  EXPECT_EQ(cuda_arch_of(Options{}), 700u);
}

}  // namespace
}  // namespace fencepost::launch
