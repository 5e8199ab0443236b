#pragma once
// A record of what readers make, by test, tests/golden/lowered/read.txt: a change that leaves every verdict as it was
// (a longer term, a register more, another place in a message) is noticed all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "golden.h"
#include "listing.h"

namespace spirv_test {

// The line of the record for what the running test has read; `source` is the text, of which a second reading says
// nothing new. FENCEPOST_PROMOTE=1 writes the line; FENCEPOST_LISTINGS=DIR writes every listing into a folder, so that
// those of two builds can be compared.
inline void record(const std::string& source, const fencepost::prog::Test& t) {
  static std::map<std::string, std::string> lines;
  static std::map<std::string, std::set<std::string>> met;
  const std::string path = FENCEPOST_SOURCE_DIR "/tests/golden/lowered/read.txt";
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  if (info == nullptr) return;
  if (lines.empty()) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines[line.substr(0, line.find(' '))] = line;
  }
  const std::string name = std::string(info->test_suite_name()) + "." + info->name();
  auto& own = met[name];
  if (!own.insert(source).second) return;
  const std::string key = name + "/" + std::to_string(own.size());
  const std::string text = listing(t);
  std::ostringstream line;
  line << key << " " << summary(t);
  if (const char* folder = std::getenv("FENCEPOST_LISTINGS"); folder != nullptr) {
    std::string file = key;
    std::replace(file.begin(), file.end(), '/', '-');
    std::ofstream(std::string(folder) + "/" + file + ".txt") << text;
  }
  if (lines[key] == line.str()) return;
  if (std::getenv("FENCEPOST_PROMOTE") == nullptr) {
    ADD_FAILURE() << key << " is read in another way.\nexpected: " << lines[key] << "\nfound:    " << line.str()
                  << "\nFENCEPOST_PROMOTE=1 takes it for right, after you have read it. In all:\n"
                  << text;
    return;
  }
  lines[key] = line.str();
  std::ofstream file(path);
  for (const auto& [k, l] : lines) file << l << "\n";
}

}  // namespace spirv_test
