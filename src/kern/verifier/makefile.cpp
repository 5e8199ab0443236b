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
    // `target: NAME = value` sets it for that target.
    const size_t colon = line.find(':'), equals = line.find('=');
    const bool of_target = colon != std::string::npos && equals != std::string::npos && colon + 1 < equals &&
                           line[colon + 1] != '=' && line[colon + 1] != ':';
    if (of_target) line = trimmed(line.substr(colon + 1));
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

// The word that begins there.
std::string word_at(const std::string& line, size_t begin) {
  size_t end = begin;
  while (end < line.size() && in_word(line[end])) ++end;
  return line.substr(begin, end - begin);
}

// Where a definition may begin: behind `-D`, or behind `--define-macro` and a blank or an equals sign.
std::vector<size_t> definitions(const std::string& line) {
  std::vector<size_t> out;
  for (const std::string word : {"-D", "--define-macro"})
    for (size_t at = 0; (at = line.find(word, at)) != std::string::npos;) {
      const bool starts = at == 0 || !(in_word(line[at - 1]) || line[at - 1] == '-');
      at += word.size();
      if (!starts) continue;
      size_t begin = at;
      while (begin < line.size() && (blank(line[begin]) || (word.size() > 2 && line[begin] == '='))) ++begin;
      out.push_back(begin);
    }
  return out;
}

// A macro that is taken back, by `-UNAME`.
bool undefines(const std::string& line, const std::string& name) {
  for (const std::string word : {"-U", "--undefine-macro"})
    for (size_t at = 0; (at = line.find(word, at)) != std::string::npos;) {
      at += word.size();
      size_t begin = at;
      while (begin < line.size() && (blank(line[begin]) || line[begin] == '=')) ++begin;
      if (word_at(line, begin) == name) return true;
    }
  return false;
}

}  // namespace

std::optional<BuildMacro> macro_of(const std::string& text, const std::string& path, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::vector<Line> lines = lines_of(text);
  const auto known = variables(lines);
  std::optional<BuildMacro> found;
  for (const Line& l : lines) {
    if (undefines(l.text, name)) return std::nullopt;
    for (const size_t begin : definitions(l.text)) {
      // Any name may stand there.
      if (begin < l.text.size() && l.text[begin] == '$') return std::nullopt;
      if (word_at(l.text, begin) != name) continue;
      size_t end = begin + name.size();
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
  }
  return found;
}

namespace {

bool has_word(const std::string& text, const std::string& word) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    const char behind = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    // "-UNAME", "-DNAME": the letter is of the option.
    const bool option = at >= 2 && text[at - 2] == '-';
    if (!in_word(behind) && (at == 0 || option || !in_word(text[at - 1]))) return true;
  }
  return false;
}

// What the files say that a makefile includes by a plain name. None: one of them cannot be read, or has another name.
std::optional<std::string> included(const std::string& text, const std::filesystem::path& folder, int depth) {
  constexpr int k_most = 8;
  std::string out;
  for (const Line& l : lines_of(text)) {
    std::string line = trimmed(l.text);
    const bool may_lack = line.starts_with("-include ") || line.starts_with("sinclude ");
    if (!may_lack && !line.starts_with("include ")) continue;
    line = trimmed(line.substr(line.find(' ')));
    const auto more = depth < k_most && line.find_first_of("$*?% ") == std::string::npos
                          ? read_file((folder / line).string())
                          : Expected<SourcePtr>(error_at({}, "not plain"));
    if (!more && !may_lack) return std::nullopt;
    if (!more) continue;
    const auto inner = included((*more)->text, folder, depth + 1);
    if (!inner) return std::nullopt;
    out += "\n" + (*more)->text + "\n" + *inner;
  }
  return out;
}

}  // namespace

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
      const auto more = included((*text)->text, where, 0);
      if (!more || has_word(*more, name)) break;
      if (auto found = macro_of((*text)->text, path.string(), name)) return found;
      break;  // make takes the first of the three
    }
  return std::nullopt;
}

}  // namespace fencepost::verifier
