#include "cat/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fencepost::cat {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Tok::end) - static_cast<size_t>(Tok::kw_let)> k_keywords = {
    "let",       "rec",     "and",     "as",          "in",    "fun",          "show",
    "unshow",    "include", "acyclic", "irreflexive", "empty", "flag",         "undefined_unless",
    "procedure", "call",    "begin",   "end",         "enum",  "instructions", "match",
    "with",      "from",    "try",     "if",          "then",  "else",         "forall",
    "do",        "assert",  "debug"};
constexpr std::array<std::string_view, 17> k_header_keys = {
    "dialect",      "summary",  "axioms",  "shows",   "provides", "vacuous",  "scopes", "spaces", "barriers",
    "instructions", "variants", "reading", "aliases", "clauses",  "withheld", "hosts",  "assumes"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }
bool is_name(char c) { return is_name_start(c) || c == '.' || c == '-' || c == '\''; }

class Lexer {
 public:
  Lexer(const SourcePtr& source, Symbols& symbols, Findings& findings)
      : source_(source), text_(source->text), symbols_(symbols), findings_(findings) {}

  Lexed run() {
    out_.tokens.reserve(text_.size() / 4 + 1);
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size() && !stop_) step();
    const auto end = static_cast<uint32_t>(text_.size());
    out_.tokens.push_back({Tok::end, end, end, 0});
    return std::move(out_);
  }

 private:
  bool starts(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  Span span(size_t begin, size_t end) const {
    return {source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  void push(Tok kind, size_t length, Symbol symbol = 0) {
    out_.tokens.push_back({kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length), symbol});
    at_ += length;
  }

  void step() {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
    } else if (c == '#' || starts("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (starts("(*")) {
      comment();
    } else if (starts("/*")) {
      skip_to("*/", "comment");
    } else if (starts("{%")) {
      skip_to("%}", "text block");
    } else if (c == '"') {
      string();
    } else if (c == '\'' && at_ + 1 < text_.size() && is_name_start(text_[at_ + 1])) {
      push(Tok::tag, name_length(1));
    } else if (c == '-' && at_ + 1 < text_.size() && text_[at_ + 1] == '1' &&
               !(at_ + 2 < text_.size() && is_name(text_[at_ + 2]))) {
      push(Tok::minus_one, 2);
    } else if (is_name_start(c)) {
      name();
    } else {
      punctuation();
    }
  }

  // The length of the name that starts at `from` after here; the '-' of an arrow `->` is no part of it.
  size_t name_length(size_t from) const {
    size_t end = at_ + from;
    while (end < text_.size() && is_name(text_[end]) &&
           !(text_[end] == '-' && end + 1 < text_.size() && text_[end + 1] == '>'))
      ++end;
    return end - at_;
  }

  void name() {
    const size_t length = name_length(0);
    const Symbol s = symbols_.intern(text_.substr(at_, length));
    const Tok kind = s < k_keywords.size() ? static_cast<Tok>(static_cast<size_t>(Tok::kw_let) + s) : Tok::name;
    push(kind, length, s);
  }

  void string() {
    const size_t close = text_.find_first_of("\"\n", at_ + 1);
    if (close == std::string_view::npos || text_[close] == '\n') {
      findings_.error("syntax", span(at_, at_ + 1), "this string does not end on its line", "close it with '\"'");
      stop_ = true;
      return;
    }
    push(Tok::string, close + 1 - at_);
  }

  void skip_to(std::string_view close, const char* what) {
    const size_t end = text_.find(close, at_ + 2);
    if (end == std::string_view::npos) {
      unterminated(what, close);
      return;
    }
    at_ = end + close.size();
  }

  void unterminated(const char* what, std::string_view close) {
    findings_.error("syntax", span(at_, at_ + 2), fmt::format("this {} does not end", what),
                    fmt::format("close it with '{}'", close));
    stop_ = true;
  }

  void comment() {
    size_t depth = 0;
    size_t end = at_;
    while (end < text_.size()) {
      // "(*)" opens, so that rows of stars such as "(*****)" are comments.
      const char next = end + 1 < text_.size() ? text_[end + 1] : '\0';
      if (text_[end] == '(' && next == '*') {
        ++depth;
        end += 2;
      } else if (text_[end] == '*' && next == ')') {
        end += 2;
        if (--depth == 0) break;
      } else {
        ++end;
      }
    }
    if (depth != 0) {
      end = text_.find("*)", at_ + 2);
      if (end == std::string_view::npos) return unterminated("comment", "*)");
      end += 2;
    }
    header(at_, end);
    at_ = end;
  }

  void header(size_t begin, size_t end) {
    if (end - begin < 4) return;
    std::string_view body = text_.substr(begin + 2, end - begin - 4);
    const auto trim = [](std::string_view s) {
      while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
      while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
      return s;
    };
    const size_t colon = body.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = trim(body.substr(0, colon));
    if (std::find(k_header_keys.begin(), k_header_keys.end(), key) == k_header_keys.end()) return;
    std::string value;
    for (char c : trim(body.substr(colon + 1))) {
      if (!is_blank(c)) {
        value += c;
      } else if (value.back() != ' ') {
        value += ' ';
      }
    }
    out_.headers.push_back(
        {std::string(key), std::move(value), static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }

  void punctuation() {
    struct Fixed {
      std::string_view text;
      Tok kind;
    };
    static constexpr std::array<Fixed, 21> k_fixed = {
        {{"->", Tok::arrow}, {"++", Tok::plusplus}, {"||", Tok::barbar},    {"(", Tok::lpar},   {")", Tok::rpar},
         {"[", Tok::lbrack}, {"]", Tok::rbrack},    {"{", Tok::lbrace},     {"}", Tok::rbrace}, {",", Tok::comma},
         {"*", Tok::star},   {"+", Tok::plus},      {"?", Tok::opt},        {"^", Tok::hat},    {"~", Tok::tilde},
         {"!", Tok::tilde},  {"&", Tok::amp},       {"\\", Tok::backslash}, {";", Tok::semi},   {"|", Tok::bar},
         {"=", Tok::eq}}};
    for (const Fixed& f : k_fixed)
      if (starts(f.text)) return push(f.kind, f.text.size());
    bad_character();
  }

  void bad_character() {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    size_t length = 1;
    if (byte >= 0x80)
      while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xc0) == 0x80 &&
             length < 4)
        ++length;
    // A no-break space that an editor or a PDF left behind, in UTF-8 or Latin-1.
    if (starts("\xC2\xA0") || byte == 0xa0) {
      at_ += byte == 0xa0 ? 1 : 2;
      return;
    }
    const std::string shown =
        byte < 0x20 || byte >= 0x7f ? fmt::format("byte 0x{:02x}", byte) : fmt::format("'{}'", static_cast<char>(byte));
    std::string hint = "it is not part of the cat language";
    if (byte == '-') hint = "difference is written '\\'; inverse is written '^-1'";
    if (byte == '/') hint = "comments are (* ... *), // ... and /* ... */";
    if (byte == '.') hint = "a name begins with a letter, a digit or '_'";
    findings_.error("syntax", span(at_, at_ + length), fmt::format("unexpected {}", shown), hint);
    if (findings_.full()) stop_ = true;
    at_ += length;
  }

  SourcePtr source_;
  std::string_view text_;
  Symbols& symbols_;
  Findings& findings_;
  Lexed out_;
  size_t at_ = 0;
  bool stop_ = false;
};

}  // namespace

Symbols::Symbols() {
  ids_.reserve(256);
  for (std::string_view k : k_keywords) intern(k);
}

Symbol Symbols::intern(std::string_view text) {
  const auto [it, fresh] = ids_.try_emplace(text, static_cast<Symbol>(text_.size()));
  if (fresh) text_.push_back(text);
  return it->second;
}

Lexed lex(const SourcePtr& source, Symbols& symbols, Findings& findings) {
  return Lexer(source, symbols, findings).run();
}

std::vector<std::string> words(const std::string& value) {
  std::vector<std::string> out;
  std::string word;
  for (char c : value + " ") {
    if (c != ' ' && c != ',') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  return out;
}

}  // namespace fencepost::cat
