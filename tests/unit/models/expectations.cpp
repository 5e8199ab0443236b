#include "expectations.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fencepost::corpus {
namespace {

namespace fs = std::filesystem;

std::vector<Line> read(const fs::path& file) {
  std::vector<Line> lines;
  std::ifstream in(file);
  std::string text;
  for (uint32_t number = 1; std::getline(in, text); ++number) {
    if (text.empty() || text[0] == '#') continue;
    Line line;
    line.number = number;
    std::istringstream words(text.substr(0, text.find('#')));
    words >> line.model >> line.property >> line.verdict;
    std::string rest;
    const bool extra = static_cast<bool>(words >> rest);
    if (const size_t hash = text.find('#'); hash != std::string::npos) line.provenance = text.substr(hash + 1);
    if (line.verdict.empty() || extra) line.model.clear();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::vector<Case> bundled(const std::string& source_dir) {
  std::vector<Case> cases;
  for (const char* folder : {"examples", "tests/corpus"}) {
    const fs::path root = fs::path(source_dir) / folder;
    if (!fs::exists(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".expect") continue;
      if (entry.path().parent_path().filename().string().starts_with("malformed")) continue;  // these expect an error
      fs::path litmus = entry.path();
      litmus.replace_extension(".litmus");
      cases.push_back({litmus.string(), entry.path().string(), read(entry.path())});
    }
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.litmus < b.litmus; });
  return cases;
}

}  // namespace fencepost::corpus
