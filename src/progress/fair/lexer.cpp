#include "fair/lexer.h"

#include <fmt/format.h>

#include <array>

namespace fencepost::fair {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::array<std::string_view, 5> k_two = {"..", "==", "!=", "<=", ">="};
constexpr std::string_view k_one = "{}()[]|&\\=<>+-*:;,.";

// Signs of other languages, and what is written here instead.
struct Foreign {
  std::string_view sign, hint;
};
constexpr std::array<Foreign, 17> k_foreign = {{{"&&", "write 'and'"},
                                                {"||", "write 'or'; the union of sets is one '|'"},
                                                {":=", "an assignment is written '='"},
                                                {"++", "write 'n = n + 1'"},
                                                {"=<", "write '<='"},
                                                {"=>", "write '>='"},
                                                {"(*", "a comment runs from '#' or '//' to the end of its line"},
                                                {"/*", "a comment runs from '#' or '//' to the end of its line"},
                                                {"∩", "write '&'"},
                                                {"∪", "write '|'"},
                                                {"∖", "write '\\'"},
                                                {"≤", "write '<='"},
                                                {"≥", "write '>='"},
                                                {"∈", "write 'in'"},
                                                {"∅", "write '{}'"},
                                                {"∀", "write 'forall u in live : ...'"},
                                                {"∃", "write 'exists u in live : ...'"}}};

class Lexer {
 public:
  explicit Lexer(const SourcePtr& source) : source_(source), text_(source->text) {}

  Expected<Lexed> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size())
      if (auto ok = step(); !ok) return std::unexpected(ok.error());
    push(Token::Kind::end, 0);
    return std::move(out_);
  }

 private:
  bool starts(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  Span span(size_t length) const { return {source_, static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length)}; }
  void push(Token::Kind kind, size_t length) {
    out_.tokens.push_back({kind, std::string(text_.substr(at_, length)), 0, span(length)});
    at_ += length;
  }

  Expected<void> step() {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
      return {};
    }
    if (c == '#' || starts("//")) return comment();
    if (is_letter(c)) {
      size_t n = 1;
      while (at_ + n < text_.size() && (is_letter(text_[at_ + n]) || is_digit(text_[at_ + n]))) ++n;
      push(Token::Kind::word, n);
      return {};
    }
    if (is_digit(c)) return number();
    if (c == '"') return string();
    for (const Foreign& f : k_foreign)
      if (starts(f.sign))
        return error_at(span(f.sign.size()), fmt::format("'{}' is not a sign of this language", f.sign),
                        std::string(f.hint));
    for (std::string_view two : k_two)
      if (starts(two)) return push(Token::Kind::sign, 2), Expected<void>{};
    if (k_one.find(c) != std::string_view::npos) return push(Token::Kind::sign, 1), Expected<void>{};
    return stray(c);
  }

  Expected<void> stray(char c) {
    size_t n = 1;  // a whole character of UTF-8
    while (at_ + n < text_.size() && (static_cast<unsigned char>(text_[at_ + n]) & 0xc0) == 0x80) ++n;
    const auto byte = static_cast<unsigned char>(c);
    const std::string shown = byte < 0x20 || byte == 0x7f || (byte >= 0x80 && n == 1)
                                  ? fmt::format("the byte 0x{:02x}", byte)
                                  : fmt::format("'{}'", text_.substr(at_, n));
    return error_at(span(n), fmt::format("{} is not a sign of this language", shown),
                    c == '!'   ? "write 'not'"
                    : c == '?' ? "write 'if c then a else b'"
                               : "");
  }

  Expected<void> comment() {
    const size_t begin = at_ + (text_[at_] == '#' ? 1 : 2);
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    if (out_.tokens.empty()) {
      std::string_view line = text_.substr(begin, end - begin);
      if (line.starts_with(' ')) line.remove_prefix(1);
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      out_.comment += fmt::format("{}\n", line);
    }
    at_ = end;
    return {};
  }

  Expected<void> number() {
    size_t n = 0;
    int64_t value = 0;
    bool large = false;
    for (; at_ + n < text_.size() && is_digit(text_[at_ + n]); ++n) {
      value = value * 10 + (text_[at_ + n] - '0');
      large = large || value > UINT32_MAX;
      if (large) value = 0;
    }
    if (large) return error_at(span(n), "this number is too large", "numbers go up to 4294967295");
    if (at_ + n < text_.size() && is_letter(text_[at_ + n]))
      return error_at(span(n + 1), "a number runs into a name", "names begin with a letter");
    push(Token::Kind::number, n);
    out_.tokens.back().number = value;
    return {};
  }

  Expected<void> string() {
    const size_t close = text_.find_first_of("\"\n", at_ + 1);
    if (close == std::string_view::npos || text_[close] != '"')
      return error_at(span(1), "this text is not closed", "end it with '\"' on the same line");
    push(Token::Kind::string, close + 1 - at_);
    Token& t = out_.tokens.back();
    t.text = t.text.substr(1, t.text.size() - 2);
    return {};
  }

  SourcePtr source_;
  std::string_view text_;
  size_t at_ = 0;
  Lexed out_;
};

}  // namespace

Expected<Lexed> lex(const SourcePtr& source) { return Lexer(source).run(); }

}  // namespace fencepost::fair
