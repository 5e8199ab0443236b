#include "launch/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace fencepost::launch {
namespace {

constexpr const char* k_names[] = {"pass",
                                   "COMMAND_LINE_ERROR",
                                   "CLANG_ERROR",
                                   "OPT_ERROR",
                                   "BUGLE_ERROR",
                                   "GPUVERIFYVCGEN_ERROR",
                                   "NOT_ALL_VERIFIED",
                                   "TIMEOUT",
                                   "CTRL_C",
                                   "CONFIGURATION_ERROR",
                                   "JSON_ERROR",
                                   "BOOGIE_INTERNAL_ERROR",
                                   "BOOGIE_OTHER_ERROR"};

std::string upper(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return s;
}

struct Line {
  std::string text;
  uint32_t begin;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back({std::move(line), static_cast<uint32_t>(at)});
    at = end + 1;
  }
  return out;
}

bool blank(const std::string& s) { return s.find_first_not_of(" \t") == std::string::npos; }

}  // namespace

const char* name(Ending e) { return k_names[static_cast<uint8_t>(e)]; }

Expected<std::optional<Header>> read_header(const SourcePtr& file) {
  const std::vector<Line> lines = lines_of(file->text);
  const auto at = [&](const Line& l) { return Span{file, l.begin, static_cast<uint32_t>(l.begin + l.text.size())}; };
  const std::string first = upper(lines[0].text);
  Header h;
  h.line = file;
  if (first.starts_with("//XFAIL:")) {
    std::string code;
    for (size_t i = 8; i < first.size() && ((first[i] >= 'A' && first[i] <= 'Z') || first[i] == '_'); ++i)
      code += first[i];
    const auto* known = std::find(std::begin(k_names) + 1, std::end(k_names), code);
    if (known == std::end(k_names)) {
      const std::string near = nearest(code, {std::begin(k_names) + 1, std::end(k_names)});
      return error_at(at(lines[0]), fmt::format("'{}' is no way for a test to fail", code),
                      near.empty() ? "NOT_ALL_VERIFIED is the usual one" : fmt::format("did you mean '{}'?", near));
    }
    h.expected = static_cast<Ending>(known - std::begin(k_names));
  } else if (!first.starts_with("//PASS")) {
    return std::optional<Header>{};
  }
  if (lines.size() < 2 || !lines[1].text.starts_with("//"))
    return error_at(at(lines[lines.size() > 1 ? 1 : 0]), "the second line of a test is '//' and the options",
                    "//--local_size=64 --num_groups=64");
  const std::string folder = std::filesystem::path(file->name).parent_path().string();
  std::string word;
  for (const char c : lines[1].text.substr(2) + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
      continue;
    }
    for (const std::string variable : {"${KERNEL_DIR}", "$KERNEL_DIR"})
      for (size_t k = word.find(variable); k != std::string::npos; k = word.find(variable))
        word.replace(k, variable.size(), folder.empty() ? "." : folder);
    if (!word.empty()) h.words.push_back(word);
    word.clear();
  }
  for (size_t i = 2; i < lines.size(); ++i) {
    if (!lines[i].text.starts_with("//") || blank(lines[i].text.substr(2))) break;
    const std::string pattern = lines[i].text.substr(2);
    try {
      const std::regex check(pattern, std::regex::ECMAScript | std::regex::multiline);
    } catch (const std::regex_error&) {
      return error_at(at(lines[i]), "this is no regular expression",
                      "put an empty line between the header and other comments");
    }
    h.patterns.push_back(pattern);
  }
  return std::optional<Header>{std::move(h)};
}

std::string missing_pattern(const Header& h, const std::string& text) {
  for (const std::string& p : h.patterns)
    if (!std::regex_search(text, std::regex(p, std::regex::ECMAScript | std::regex::multiline))) return p;
  return {};
}

std::vector<std::string> kernel_files(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code ec;
  for (std::filesystem::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const auto ending = it->path().extension();
    if (it->is_regular_file() && (ending == ".cl" || ending == ".cu")) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace fencepost::launch
