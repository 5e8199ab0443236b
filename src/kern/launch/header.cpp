// A kernel is a stranger's text, and its second line becomes options of a program that writes files, starts solvers and
// hands words to clang, which opens shared objects (-fpass-plugin, -load) and writes files (-o, -MF) when it is told
// to. So the line has a closed list: what it may say chooses the launch, what is checked and how, and names files of
// the kernel's folder only. An option that the list does not have is refused, also one that is added to the table
// later.
#include "launch/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>

#include "base/folder.h"

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

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}
bool only(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

// NAME or NAME(A,B), then nothing or '=' and a value. clang makes a line of it: nothing may end that line, continue it,
// or begin a string.
bool harmless_macro(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || !only(name, "_(),.")) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\' && c != '#'; });
}

// What is wrong with an option on the second line of a file in this folder; "" if nothing.
std::string not_permitted(const std::string& folder, std::string_view name, const std::string& value) {
  if (name.empty()) return fmt::format("'{}' on the second line is not an option", value);
  const auto inside = [&] { return value.starts_with('-') ? false : is_below(value, folder); };
  if (name == "-D")
    return harmless_macro(value) ? ""
                                 : "-D on the second line is NAME or NAME=VALUE without blanks, quotes, '#' and '\\'";
  if (name == "-I" || name == "--boogie-file")
    return inside() ? "" : fmt::format("{} on the second line stays inside the folder of the kernel", name);
  if (name == "--clang-opt")
    return value.starts_with("-W") && only(value, "-+=")
               ? ""
               : "--clang-opt on the second line is a warning option, as -Wno-comma";
  if (name == "--std") return only(value, ".+") ? "" : "--std on the second line is the name of a language";
  if (one_of(name, {"--local_size", "--num_groups", "--global_size", "--global_offset", "--blockDim", "--gridDim",
                    "--kernel-args", "--kernel-arrays", "--entry", "--opencl", "--cuda", "--pointer-bitwidth"}) ||
      one_of(name, {"--check-array-bounds", "--no-benign-tolerance", "--only-divergence", "--only-intra-group",
                    "--only-log", "--check-arrays", "--check-warp-divergence", "--vcgen-opt"}) ||
      one_of(name, {"--adversarial-abstraction", "--equality-abstraction", "--atomics", "--warp-sync", "--warp-method",
                    "--no-inline", "--no-annotations", "--only-requires", "--invariants-as-candidates",
                    "--no-barrier-access-checks", "--asymmetric-asserts", "--findbugs", "--loop-unwind", "--verify",
                    "--no-infer", "--infer-info", "--k-induction-depth", "--timeout", "--seed"}) ||
      one_of(name, {"--error-limit", "--silent", "--verbose", "--time", "--time-as-csv", "--compat", "--debug"}))
    return "";
  // Without effect here.
  if (one_of(name, {"--solver", "--race-instrumenter", "--keep-temps", "--gen-smt2", "--opt-opt", "--bugle-opt",
                    "--cruncher-opt", "--boogie-opt"}))
    return "";
  return fmt::format("{} may be given on the command line, but not by a kernel's second line", name);
}

}  // namespace

const char* name(Ending e) { return k_names[static_cast<uint8_t>(e)]; }

Expected<std::optional<Header>> read_header(const SourcePtr& file) {
  const std::vector<Line> lines = lines_of(file->text);
  const auto at = [&](const Line& l) { return Span{file, l.begin, static_cast<uint32_t>(l.begin + l.text.size())}; };
  const std::string first = upper(lines[0].text);
  Header h;
  h.line = file;
  size_t end = 6;  // of what the first line says
  if (first.starts_with("//XFAIL:")) {
    std::string code;
    for (end = 8; end < first.size() && ((first[end] >= 'A' && first[end] <= 'Z') || first[end] == '_'); ++end)
      code += first[end];
    const auto* known = std::find(std::begin(k_names) + 1, std::end(k_names), code);
    if (known == std::end(k_names)) {
      const std::string near = nearest(code, {std::begin(k_names) + 1, std::end(k_names)});
      return error_at(at(lines[0]), fmt::format("'{}' is not a way for a test to fail", code),
                      near.empty() ? "NOT_ALL_VERIFIED is the usual one" : fmt::format("did you mean '{}'?", near));
    }
    h.expected = static_cast<Ending>(known - std::begin(k_names));
  } else if (!first.starts_with("//PASS")) {
    return std::optional<Header>{};
  }
  if (!blank(first.substr(end)))
    return error_at(at(lines[0]), fmt::format("'{}' is one word too many", lines[0].text.substr(end)),
                    "the first line of a test is //pass or //xfail:NOT_ALL_VERIFIED");
  if (lines.size() < 2 || !lines[1].text.starts_with("//"))
    return error_at(at(lines[lines.size() > 1 ? 1 : 0]), "the second line of a test is '//' and the options",
                    "//--local_size=64 --num_groups=64");
  const std::string folder = std::filesystem::path(file->name).parent_path().string();
  const std::string home = folder.empty() ? "." : folder;
  std::string word;
  for (const char c : lines[1].text.substr(2) + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
      continue;
    }
    for (const std::string variable : {"${KERNEL_DIR}", "$KERNEL_DIR"})
      for (size_t k = word.find(variable); k != std::string::npos; k = word.find(variable, k + home.size()))
        word.replace(k, variable.size(), home);
    if (!word.empty()) h.words.push_back(word);
    word.clear();
  }
  bool refused = false;
  const auto parsed = parse(h.words, file, [&](const OptionInfo& o, const std::string& value) {
    const std::string why = not_permitted(home, o.name, value);
    refused = refused || !why.empty();
    return why;
  });
  if (refused) {
    Diagnostic why = parsed.error().list.front();
    const uint32_t begin = lines[1].begin, end = begin + static_cast<uint32_t>(lines[1].text.size());
    if (why.span.source == nullptr || why.span.begin < begin || why.span.begin > end) why.span = at(lines[1]);
    why.hint =
        "such a line may give the launch, what is checked, -D, -I below the kernel's folder, and --clang-opt=-W...";
    return std::unexpected(std::move(why));
  }
  for (size_t i = 2; i < lines.size(); ++i) {
    if (!lines[i].text.starts_with("//") || blank(lines[i].text.substr(2))) break;
    const std::string pattern = lines[i].text.substr(2);
    try {
      const std::regex check(pattern, std::regex::ECMAScript | std::regex::multiline);
    } catch (const std::regex_error&) {
      return error_at(at(lines[i]), "this is not a regular expression",
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

Expected<Options> options_of(const Header& h, const std::vector<std::string>& more) {
  // By themselves first: a last word that lacks its value must not take the first word of the command line for it.
  if (auto own = parse(h.words, h.line); !own) return own;
  std::vector<std::string> all = h.words;
  all.insert(all.end(), more.begin(), more.end());
  return parse(all, h.line, nullptr, h.words.size());
}

Expected<std::vector<std::string>> kernel_files(const std::string& folder) {
  return files_below(folder, {".cl", ".cu"});
}

}  // namespace fencepost::launch
