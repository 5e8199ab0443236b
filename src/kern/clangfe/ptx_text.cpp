#include "clangfe/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace fencepost::clangfe {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$'; }

std::string trimmed(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? std::string() : s.substr(begin, end - begin + 1);
}

// Comments are blanks.
std::string without_comments(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
      out += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

// At commas outside of brackets.
std::vector<std::string> at_commas(const std::string& s) {
  std::vector<std::string> out;
  std::string word;
  int depth = 0;
  for (const char c : s) {
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(trimmed(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!trimmed(word).empty() || !out.empty()) out.push_back(trimmed(word));
  return out;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(without_comments(text)) {}

  bool run() {
    while (true) {
      blanks();
      if (at_ >= text_.size()) return scopes_.size() == 1;
      const char c = text_[at_];
      if (c == '{') {
        scopes_.emplace_back();
        ++at_;
      } else if (c == '}') {
        if (scopes_.size() == 1) return false;
        scopes_.pop_back();
        ++at_;
      } else if (c == ';') {
        ++at_;
      } else if (!statement()) {
        return false;
      }
    }
  }
  std::vector<PtxStatement> out;

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  // A name of a register or label as the innermost scope that declares it calls it.
  std::string resolved(const std::string& name) const {
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (const auto it = s->find(name); it != s->end()) return it->second;
    return name;
  }
  std::string resolved_all(const std::string& s) const {
    std::string result;
    for (size_t i = 0; i < s.size();) {
      if (starts_name(s[i]) && (i == 0 || !in_name(s[i - 1]))) {
        size_t end = i;
        while (end < s.size() && in_name(s[end])) ++end;
        result += resolved(s.substr(i, end - i));
        i = end;
      } else {
        result += s[i++];
      }
    }
    return result;
  }

  bool statement() {
    // A label: a name, and one colon.
    size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    size_t colon = end;
    while (colon < text_.size() && (text_[colon] == ' ' || text_[colon] == '\t')) ++colon;
    if (end > at_ && colon < text_.size() && text_[colon] == ':' && text_.compare(colon, 2, "::") != 0) {
      PtxStatement label;
      label.label = text_.substr(at_, end - at_);
      out.push_back(std::move(label));
      at_ = colon + 1;
      return true;
    }
    const size_t stop = text_.find(';', at_);
    if (stop == std::string::npos) return false;
    std::string s = trimmed(text_.substr(at_, stop - at_));
    at_ = stop + 1;
    PtxStatement now;
    now.text = s;
    if (!s.empty() && s[0] == '@') {
      size_t i = 1;
      if (i < s.size() && s[i] == '!') {
        now.unless = true;
        ++i;
      }
      size_t last = i;
      while (last < s.size() && in_name(s[last])) ++last;
      now.guard = resolved(s.substr(i, last - i));
      if (now.guard.empty()) return false;
      s = trimmed(s.substr(last));
    }
    size_t last = 0;
    while (last < s.size() && std::isspace(static_cast<unsigned char>(s[last])) == 0 && s[last] != '[' &&
           s[last] != '{')
      ++last;
    now.word = s.substr(0, last);
    if (now.word.empty()) return false;
    std::string rest = trimmed(s.substr(last));
    if (now.word == ".reg") return declaration(rest, std::move(now));
    if (!starts_name(now.word[0])) return false;
    std::string part;
    for (const char c : now.word + ".") {
      if (c != '.') {
        part += c;
        continue;
      }
      if (part.empty()) return false;
      now.parts.push_back(std::exchange(part, {}));
    }
    for (const std::string& o : at_commas(rest)) {
      if (o.empty()) return false;
      now.operands.push_back(resolved_all(o));
    }
    out.push_back(std::move(now));
    return true;
  }

  // ".reg .b32 a, b<3>"
  bool declaration(const std::string& rest, PtxStatement now) {
    if (rest.empty() || rest[0] != '.') return false;
    size_t last = 1;
    while (last < rest.size() && std::isalnum(static_cast<unsigned char>(rest[last])) != 0) ++last;
    const std::string type = rest.substr(1, last - 1);
    if (ptx_width(type) == 0) return false;
    for (std::string name : at_commas(trimmed(rest.substr(last)))) {
      std::vector<std::string> names{name};
      if (const size_t open = name.find('<'); open != std::string::npos && name.back() == '>') {
        const std::string digits = name.substr(open + 1, name.size() - open - 2);
        if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
          return false;
        names.clear();
        for (int k = 0; k < std::stoi(digits); ++k) names.push_back(name.substr(0, open) + std::to_string(k));
      }
      for (const std::string& n : names) {
        if (n.empty() || !starts_name(n[0]) || !std::all_of(n.begin(), n.end(), in_name)) return false;
        if (!scopes_.back().try_emplace(n, n + "@" + std::to_string(declared_++)).second) return false;
        now.registers.emplace_back(scopes_.back()[n], type);
      }
    }
    out.push_back(std::move(now));
    return true;
  }

  std::string text_;
  size_t at_ = 0;
  unsigned declared_ = 0;
  std::vector<std::map<std::string, std::string>> scopes_{1};
};

}  // namespace

bool PtxStatement::has(const char* part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }

bool PtxStatement::has_like(const char* start) const {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& p) { return p.starts_with(start); });
}

std::optional<std::vector<PtxStatement>> ptx_statements(const std::string& given) {
  // `%=` makes a label one of its own in the whole module; here each text has its own labels.
  std::string text = given;
  for (size_t at; (at = text.find("${:uid}")) != std::string::npos;) text.replace(at, 7, "_");
  Reader r(text);
  if (!r.run()) return std::nullopt;
  return std::move(r.out);
}

std::vector<std::string> ptx_elements(const std::string& operand) {
  if (operand.size() >= 2 && operand.front() == '{' && operand.back() == '}')
    return at_commas(operand.substr(1, operand.size() - 2));
  if (const size_t bar = operand.find('|'); bar != std::string::npos)
    return {trimmed(operand.substr(0, bar)), trimmed(operand.substr(bar + 1))};
  return {operand};
}

bool ptx_reads_carry(const PtxStatement& s) {
  return !s.parts.empty() && (s.parts[0] == "addc" || s.parts[0] == "subc" || s.parts[0] == "madc");
}

unsigned ptx_width(const std::string& type) {
  if (type == "pred") return 1;
  if (type.size() < 2 || std::string("busf").find(type[0]) == std::string::npos) return 0;
  const std::string digits = type.substr(1);
  return digits == "8" ? 8 : digits == "16" ? 16 : digits == "32" ? 32 : digits == "64" ? 64 : 0;
}

}  // namespace fencepost::clangfe
