#include "verifier/includer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/read_file.h"

namespace fencepost::verifier {
namespace {

namespace fs = std::filesystem;

// What a line includes with "..."; "" where it does not.
std::string included(const std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  at = line.find_first_not_of(" \t", at + 7);
  if (at == std::string::npos || line[at] != '"') return "";
  const size_t end = line.find('"', at + 1);
  return end == std::string::npos ? "" : line.substr(at + 1, end - at - 1);
}

}  // namespace

std::optional<std::string> includer_of(const std::string& source) {
  constexpr size_t k_most_files = 256;
  constexpr uintmax_t k_most = 1 << 20;
  static constexpr std::array<const char*, 4> k_sources = {".cu", ".cpp", ".cc", ".cxx"};
  const fs::path folder = fs::path(source).parent_path();
  std::error_code failed;
  std::vector<fs::path> beside;
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, failed), end;
       !failed && it != end && beside.size() < k_most_files; it.increment(failed)) {
    const std::string extension = it->path().extension().string();
    if (std::ranges::find(k_sources, extension) == k_sources.end()) continue;
    std::error_code unknown;
    if (it->is_regular_file(unknown) && it->file_size(unknown) <= k_most && !unknown)
      beside.push_back(folder / it->path().filename());
  }
  std::optional<std::string> found;
  for (const fs::path& path : beside) {
    if (fs::equivalent(path, source, failed)) continue;
    const auto text = read_file(path.string());
    if (!text) continue;
    std::istringstream lines((*text)->text);
    for (std::string line; std::getline(lines, line);) {
      const std::string name = included(line);
      if (name.empty() || !fs::equivalent(folder / name, source, failed)) continue;
      if (found) return std::nullopt;
      found = path.string();
      break;
    }
  }
  return found;
}

}  // namespace fencepost::verifier
