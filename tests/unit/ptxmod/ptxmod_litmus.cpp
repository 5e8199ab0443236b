// Litmus tests written as modules have the verdicts of the litmus files: the tests of the repository, and with
// FENCEPOST_LITMUS_FOLDERS (folders, separated by ':') those found there.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "litmus_as_module.h"
#include "ptxmod_support.h"

namespace {

using namespace ptxmod_test;

struct Count {
  size_t same = 0, not_expressed = 0;
  std::map<std::string, size_t> reasons;
};

void hold(const std::string& path, Count& count) {
  auto tests = read::parse_file(path);
  if (!tests || tests->size() != 1) return;
  const prog::Test& t = tests->front();
  if (t.syntax != prog::Syntax::ptx || t.quantifier == prog::Quantifier::none) return;
  AsModule printer(t);
  const auto text = printer.run();
  if (!text) {
    ++count.not_expressed;
    ++count.reasons[printer.why];
    return;
  }
  auto module = ptxmod::parse_ptx_module(make_source("t.ptx", *text), {});
  ASSERT_TRUE(module.has_value()) << path << "\n" << render(module.error()) << *text;
  for (const check::Property p : {check::Property::condition, check::Property::races}) {
    const Status asked = verdict(t, p), given = verdict(*module, p);
    EXPECT_EQ(asked, given) << path << ": " << check::name(p) << "\n" << *text;
  }
  ++count.same;
}

Count hold_all(const std::vector<std::string>& folders) {
  Count count;
  for (const std::string& f : folders) {
    if (!std::filesystem::exists(f)) continue;
    std::vector<std::string> files;
    for (const auto& e : std::filesystem::recursive_directory_iterator(f))
      if (e.path().extension() == ".litmus") files.push_back(e.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& path : files) hold(path, count);
  }
  std::cout << count.same << " tests as modules; " << count.not_expressed << " that modules do not express:\n";
  for (const auto& [why, n] : count.reasons) std::cout << "    " << n << " " << why << "\n";
  return count;
}

TEST(PtxmodLitmus, TestsOfTheRepository) {
  const std::string root = FENCEPOST_SOURCE_DIR;
  const Count c = hold_all({root + "/examples/ptx", root + "/tests/corpus/ptx", root + "/tests/corpus/ptx-spec"});
  EXPECT_GE(c.same, 40U);
}

TEST(PtxmodLitmus, TestsOfGivenFolders) {
  const char* given = std::getenv("FENCEPOST_LITMUS_FOLDERS");
  if (given == nullptr) GTEST_SKIP() << "SKIPPED: FENCEPOST_LITMUS_FOLDERS names no folders";
  std::vector<std::string> folders;
  std::string rest = given;
  for (size_t at = 0; at <= rest.size();) {
    const size_t end = std::min(rest.find(':', at), rest.size());
    folders.push_back(rest.substr(at, end - at));
    at = end + 1;
  }
  hold_all(folders);
}

}  // namespace
