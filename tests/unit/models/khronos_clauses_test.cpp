// The clauses of KhronosGroup/Vulkan-MemoryModel (alloy/tests, commit 3a8b3583b591) against the models of the Alloy
// file and of the appendix. Their files are no part of this repository: FENCEPOST_KHRONOS_TESTS names the folder.
//   git clone https://github.com/KhronosGroup/Vulkan-MemoryModel, then
//   FENCEPOST_KHRONOS_TESTS=Vulkan-MemoryModel/alloy/tests build/release/tests/test_models --gtest_filter='Khronos*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;

const cat::Model& model(const std::string& name) {
  static std::map<std::string, cat::Model> loaded;
  auto it = loaded.find(name);
  if (it == loaded.end()) {
    auto m = cat::load_model(name, vocab::Dialect::vulkan);
    EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
    it = loaded.emplace(name, m ? std::move(*m) : cat::Model{}).first;
  }
  return it->second;
}

// The executions that raise no flag.
cat::Model without_flagged(cat::Model m) {
  for (cat::Axiom& a : m.axioms)
    if (a.flag) {
      a.flag = false;
      a.negated = !a.negated;
    }
  return m;
}

bool agrees(const prog::Test& test, const prog::Expectation& e, const std::string& name) {
  const cat::Model& m = model(e.variant.empty() ? name : name + "-" + e.variant);
  check::Options options;
  options.engine = check::Engine::both;
  options.property = e.property == "races" ? check::Property::races : check::Property::condition;
  Job job = Job::with_budget(20);
  const Status found =
      check::check(test, e.property == "race_free" ? without_flagged(m) : m, options, job).verdict.status;
  return found == (e.holds ? Status::holds : Status::fails);
}

// Which clauses a model gets wrong, as "file: clause"; and how many were asked.
std::set<std::string> wrong(const std::string& folder, const std::string& name, size_t& asked) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".test") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::set<std::string> out;
  asked = 0;
  for (const std::string& f : files) {
    const auto tests = read::parse_file(f);
    EXPECT_TRUE(tests.has_value()) << (tests ? "" : render(tests.error()));
    if (!tests) continue;
    for (const prog::Test& test : *tests)
      for (const prog::Expectation& e : test.expectations) {
        if (e.property.empty()) continue;  // clauses about more than consistency and races
        ++asked;
        if (!agrees(test, e, name)) out.insert(fs::path(f).filename().string() + ": " + e.text);
      }
  }
  return out;
}

std::string joined(const std::set<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += "  " + l + "\n";
  return out;
}

TEST(KhronosClauses, AllAgreeUnderTheAlloyModelAndTheListedOnesDifferUnderTheAppendix) {
  const char* folder = std::getenv("FENCEPOST_KHRONOS_TESTS");
  if (folder == nullptr) GTEST_SKIP() << "FENCEPOST_KHRONOS_TESTS is not set: 169 clauses were NOT asked";
  size_t asked = 0;
  const auto alloy = wrong(folder, "vulkan-alloy", asked);
  EXPECT_EQ(asked, 169u);
  EXPECT_TRUE(alloy.empty()) << joined(alloy);
  // "file: clause", with the sentence of the appendix that decides otherwise. There are none in that commit: what tells
  // the two apart are the tests of tests/corpus/vulkan-spec.
  const std::set<std::string> listed = {};
  const auto appendix = wrong(folder, "vulkan", asked);
  EXPECT_EQ(asked, 169u);
  EXPECT_EQ(appendix, listed) << joined(appendix);
}

}  // namespace
}  // namespace fencepost
