// Round trips over published corpora, where they are at hand: the folders come from the environment.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "asm_support.h"
#include "prog/test.h"

using namespace asm_test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> files(const fs::path& root, const std::string& ending) {
  std::vector<std::string> out;
  for (const auto& e : fs::recursive_directory_iterator(root))
    if (e.is_regular_file() && e.path().extension() == ending) out.push_back(e.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

struct Count {
  size_t files = 0, tests = 0;
};

Count round_trip_all(const fs::path& root, const std::string& ending) {
  Count n;
  for (const std::string& f : files(root, ending)) {
    const auto tests = read::parse_file(f);
    EXPECT_TRUE(tests.has_value()) << (tests ? "" : render(tests.error()));
    if (!tests) continue;
    ++n.files;
    for (const auto& t : *tests) {
      expect_round_trip(t);
      ++n.tests;
    }
  }
  return n;
}

TEST(AsmCorpus, PtxAndVulkanLitmus) {
  const char* root = std::getenv("FENCEPOST_PEER_CORPUS");
  if (root == nullptr) GTEST_SKIP() << "FENCEPOST_PEER_CORPUS is not set: 748 PTX and 713 VULKAN files were NOT tested";
  EXPECT_EQ(round_trip_all(fs::path(root) / "litmus" / "PTX", ".litmus").files, 748u);
  EXPECT_EQ(round_trip_all(fs::path(root) / "litmus" / "VULKAN", ".litmus").files, 713u);
}

TEST(AsmCorpus, KhronosTests) {
  const char* root = std::getenv("FENCEPOST_KHRONOS_TESTS");
  if (root == nullptr) GTEST_SKIP() << "FENCEPOST_KHRONOS_TESTS is not set: 89 .test files were NOT tested";
  const Count n = round_trip_all(root, ".test");
  EXPECT_EQ(n.files, 89u);
  EXPECT_EQ(n.tests, 89u);
}

TEST(AsmCorpus, MixedProxyTests) {
  const char* root = std::getenv("FENCEPOST_MIXEDPROXY_TESTS");
  if (root == nullptr) GTEST_SKIP() << "FENCEPOST_MIXEDPROXY_TESTS is not set: 11 .test files were NOT tested";
  const Count n = round_trip_all(root, ".test");
  EXPECT_EQ(n.files, 11u);
  EXPECT_EQ(n.tests, 128u);  // the rows of five tables, and six files with one command each
}

}  // namespace
