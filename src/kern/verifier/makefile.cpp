#include "verifier/makefile.h"

#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "base/read_file.h"

namespace fencepost::verifier {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string trimmed(const std::string& s) {
  size_t begin = 0, end = s.size();
  while (begin < end && blank(s[begin])) ++begin;
  while (end > begin && blank(s[end - 1])) --end;
  return s.substr(begin, end - begin);
}

struct Line {
  std::string text;
  size_t number;
};

// Without comments, with continued lines joined.
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> out;
  bool joins = false;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool continued = !line.empty() && line.back() == '\\';
    if (continued) line.back() = ' ';
    if (joins)
      out.back().text += line;
    else
      out.push_back({line, number});
    joins = continued;
  }
  for (Line& l : out)
    if (const size_t hash = l.text.find('#'); hash != std::string::npos) l.text.resize(hash);
  return out;
}

// Values of variables; of one that is set to several, none.
std::map<std::string, std::optional<std::string>> variables(const std::vector<Line>& lines) {
  std::map<std::string, std::optional<std::string>> out;
  for (const Line& l : lines) {
    if (l.text.empty() || l.text[0] == '\t') continue;
    std::string line = trimmed(l.text);
    for (const char* word : {"export ", "override "})
      if (line.starts_with(word)) line = trimmed(line.substr(std::string(word).size()));
    size_t end = 0;
    while (end < line.size() && in_word(line[end])) ++end;
    if (end == 0) continue;
    std::string rest = trimmed(line.substr(end));
    bool adds = false;
    if (rest.starts_with("::"))
      rest = rest.substr(2);
    else if (rest.starts_with(":") || rest.starts_with("?"))
      rest = rest.substr(1);
    else if (rest.starts_with("+")) {
      rest = rest.substr(1);
      adds = true;
    }
    if (!rest.starts_with("=")) continue;
    std::optional<std::string> value = trimmed(rest.substr(1));
    const auto [it, fresh] = out.try_emplace(line.substr(0, end), value);
    if (!fresh && (adds || it->second != value)) it->second.reset();
  }
  return out;
}

std::optional<std::string> expanded(const std::string& s,
                                    const std::map<std::string, std::optional<std::string>>& variables, int depth) {
  if (depth > 8) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '$') {
      out += s[i];
      continue;
    }
    if (i + 1 >= s.size() || (s[i + 1] != '(' && s[i + 1] != '{')) return std::nullopt;
    const size_t end = s.find(s[i + 1] == '(' ? ')' : '}', i);
    if (end == std::string::npos) return std::nullopt;
    const auto it = variables.find(s.substr(i + 2, end - i - 2));
    if (it == variables.end() || !it->second) return std::nullopt;
    const auto inner = expanded(*it->second, variables, depth + 1);
    if (!inner) return std::nullopt;
    out += *inner;
    i = end;
  }
  return out;
}

}  // namespace

std::optional<BuildMacro> macro_of(const std::string& text, const std::string& path, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::vector<Line> lines = lines_of(text);
  const auto known = variables(lines);
  std::optional<BuildMacro> found;
  for (const Line& l : lines)
    for (size_t at = 0; (at = l.text.find("-D", at)) != std::string::npos;) {
      const bool starts = at == 0 || !(in_word(l.text[at - 1]) || l.text[at - 1] == '-');
      at += 2;
      if (!starts) continue;
      size_t begin = at;
      while (begin < l.text.size() && blank(l.text[begin])) ++begin;
      size_t end = begin;
      while (end < l.text.size() && in_word(l.text[end])) ++end;
      if (l.text.substr(begin, end - begin) != name) continue;
      std::string value = "1";
      if (end < l.text.size() && l.text[end] == '=') {
        size_t last = ++end;
        while (last < l.text.size() && !blank(l.text[last])) ++last;
        value = l.text.substr(end, last - end);
        std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
      }
      const auto plain = expanded(value, known, 0);
      if (!plain || plain->empty() ||
          plain->find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-") !=
              std::string::npos)
        return std::nullopt;
      if (found && found->value != *plain) return std::nullopt;
      if (!found) found = {name, *plain, path + ":" + std::to_string(l.number)};
    }
  return found;
}

std::optional<BuildMacro> macro_beside(const std::string& source, const std::string& name) {
  constexpr uintmax_t k_most = 1 << 20;
  const std::filesystem::path folder = std::filesystem::path(source).parent_path();
  for (const std::filesystem::path& where : {folder, folder / ".."})
    for (const char* file : {"GNUmakefile", "makefile", "Makefile"}) {
      const std::filesystem::path path = where / file;
      std::error_code failed;
      if (!std::filesystem::is_regular_file(path, failed) || std::filesystem::file_size(path, failed) > k_most ||
          failed)
        continue;
      const auto text = read_file(path.string());
      if (!text) continue;
      if (auto found = macro_of((*text)->text, path.string(), name)) return found;
      break;  // make takes the first of the three
    }
  return std::nullopt;
}

}  // namespace fencepost::verifier
