#include "axb/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fencepost::axb {
namespace {

constexpr std::array<std::string_view, 9> k_reserved = {"progress", "config", "thread", "if",     "goto",
                                                        "exch",     "end",    "cas",    "barrier"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void fail_at(const Span& span, std::string message, std::string hint) {
  throw ParseError{Diagnostic{.span = span, .message = std::move(message), .hint = std::move(hint)}};
}

std::string quoted(std::string_view word) {
  constexpr size_t k_longest = 40;
  return fmt::format("'{}{}'", word.substr(0, k_longest), word.size() > k_longest ? "..." : "");
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

bool is_reserved(std::string_view word) { return std::ranges::find(k_reserved, word) != k_reserved.end(); }

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

std::string default_location_name(uint32_t i) {
  constexpr std::string_view k_first = "xyzw";
  return i < k_first.size() ? std::string(1, k_first[i]) : fmt::format("m{}", i);
}

std::string quote(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

Scanner::Scanner(SourcePtr source, bool comments)
    : source_(std::move(source)), text_(source_->text), comments_(comments) {
  if (text_.size() > 0x7fffffff) fail_at(Span{source_, 0, 0}, "this text is larger than 2 GiB", "split it");
  if (text_.starts_with("\xef\xbb\xbf")) pos_ = 3;
  token_ = lex();
}

Token Scanner::next() {
  const Token t = token_;
  last_end_ = t.end;
  token_ = lex();
  return t;
}

bool Scanner::accept(std::string_view s) {
  if (!at(s)) return false;
  next();
  return true;
}

Token Scanner::expect(std::string_view s, std::string_view hint) {
  if (at(s)) return next();
  const std::string otherwise = s == ";" ? "end it with ';'" : fmt::format("put '{}' here", s);
  fail_expected(axb::quoted(s), hint.empty() ? std::string_view(otherwise) : hint);
}

Value Scanner::value_of(const Token& t, std::string_view what) const {
  const std::string_view s = t.text;
  const bool hex = s.starts_with("0x") || s.starts_with("0X");
  uint64_t v = 0;
  bool good = !hex || s.size() > 2;
  for (const char c : s.substr(hex ? 2 : 0)) {
    const int d = hex_digit(c);
    if (d < 0 || (!hex && d > 9)) {
      good = false;
      break;
    }
    v = std::min<uint64_t>(v * (hex ? 16 : 10) + static_cast<uint64_t>(d), uint64_t{1} << 40);
  }
  if (!good) fail(t, fmt::format("{} is not a number", axb::quoted(s)), fmt::format("write {} as 7 or 0x7", what));
  if (v > 0xffffffff)
    fail(t, fmt::format("{} is too large for {}", axb::quoted(s), what), "values have 32 bits: 0 to 4294967295");
  return static_cast<Value>(v);
}

Value Scanner::expect_value(std::string_view what, std::string_view hint) {
  if (at("-")) fail(token_, fmt::format("{} cannot be negative", what), "values have 32 bits: 0 to 4294967295");
  if (token_.kind != Tok::number) fail_expected(what, hint);
  const Value v = value_of(token_, what);
  next();
  return v;
}

std::string Scanner::unescape(const Token& t) const {
  std::string out;
  for (size_t i = 1; i + 1 < t.text.size(); ++i) {
    const char c = t.text[i];
    if (c != '\\') {
      out += c;
      continue;
    }
    const Span here{source_, static_cast<uint32_t>(t.begin + i), static_cast<uint32_t>(t.begin + i + 2)};
    const auto code_unit = [&](size_t at) {  // four digits at t.text[at], within the string
      uint32_t v = 0;
      for (size_t k = at; k < at + 4; ++k) {
        const int d = k + 1 < t.text.size() ? hex_digit(t.text[k]) : -1;
        if (d < 0) fail_at(here, "'\\u' needs four hexadecimal digits", "write \\u0041");
        v = v * 16 + static_cast<uint32_t>(d);
      }
      return v;
    };
    switch (const char e = t.text[++i]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case '"':
      case '/':
      case '\\':
        out += e;
        break;
      case 'u': {
        uint32_t v = code_unit(i + 1);
        i += 4;
        if (v >= 0xd800 && v < 0xdc00 && t.text.substr(i + 1, 2) == "\\u") {
          const uint32_t low = code_unit(i + 3);
          if (low >= 0xdc00 && low < 0xe000) {
            v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
            i += 6;
          }
        }
        append_utf8(out, v);
        break;
      }
      default:
        fail_at(here, fmt::format("'\\{}' is not an escape", e), "known: \\\" \\\\ \\n \\t \\r \\b \\f \\/ \\u0041");
    }
  }
  return out;
}

std::string Scanner::expect_string(std::string_view what) {
  if (token_.kind != Tok::string) fail_expected(what, "write it between double quotes");
  const std::string s = unescape(token_);
  next();
  return s;
}

std::vector<std::string> Scanner::take_comment_lines() { return std::exchange(comment_lines_, {}); }

void Scanner::fail(const Token& t, std::string message, std::string hint) const {
  fail_at(span(t), std::move(message), std::move(hint));
}

void Scanner::fail_expected(std::string_view expected, std::string_view hint) const {
  fail(token_,
       fmt::format("expected {}, found {}", expected, at_end() ? "the end of the text" : axb::quoted(token_.text)),
       std::string(hint));
}

void Scanner::skip_blank() {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      ++pos_;
    } else if (comments_ && text_.substr(pos_).starts_with("//")) {
      const size_t eol = std::min(text_.find('\n', pos_), text_.size());
      const size_t bol = pos_ == 0 ? 0 : text_.rfind('\n', pos_ - 1) + 1;  // npos + 1 == 0
      const std::string_view before = text_.substr(bol, pos_ - bol);
      if (before.find_first_not_of(" \t") == std::string_view::npos || before == "\xef\xbb\xbf") {
        std::string_view line = text_.substr(pos_ + 2, eol - pos_ - 2);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with(' ')) line.remove_prefix(1);
        comment_lines_.emplace_back(line);
        std::replace(comment_lines_.back().begin(), comment_lines_.back().end(), '\r', ' ');  // a remark is one line
      }
      pos_ = static_cast<uint32_t>(eol);
    } else if (comments_ && text_.substr(pos_).starts_with("/*")) {
      const size_t close = text_.find("*/", pos_ + 2);
      if (close == std::string_view::npos)
        fail_at(Span{source_, pos_, pos_ + 2}, "this comment is never closed", "close it with '*/'");
      pos_ = static_cast<uint32_t>(close) + 2;
    } else {
      return;
    }
  }
}

Token Scanner::lex() {
  skip_blank();
  const uint32_t begin = pos_;
  const auto token = [&](Tok kind) { return Token{kind, text_.substr(begin, pos_ - begin), begin, pos_}; };
  if (pos_ >= text_.size()) return token(Tok::end);
  const char c = text_[pos_];
  if (is_letter(c)) {
    while (pos_ < text_.size() && (is_letter(text_[pos_]) || is_digit(text_[pos_]))) ++pos_;
    return token(Tok::word);
  }
  if (is_digit(c)) {
    const auto continues = [&] {
      const char d = text_[pos_];
      if (is_letter(d) || is_digit(d) || d == '.') return true;
      return (d == '+' || d == '-') && (text_[pos_ - 1] == 'e' || text_[pos_ - 1] == 'E') &&
             text_.substr(begin, 2) != "0x";
    };
    while (pos_ < text_.size() && continues()) ++pos_;
    return token(Tok::number);
  }
  if (c == '"') {
    for (++pos_; pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n'; ++pos_)
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size() && text_[pos_ + 1] != '\n') ++pos_;
    if (pos_ >= text_.size() || text_[pos_] != '"')
      fail_at(Span{source_, begin, begin + 1}, "this string is never closed", "close it with '\"' on the same line");
    ++pos_;
    return token(Tok::string);
  }
  for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"})
    if (text_.substr(pos_).starts_with(two)) {
      pos_ += 2;
      return token(Tok::punct);
    }
  // A character of several bytes is one token, so that a message quotes it whole.
  for (++pos_; pos_ < text_.size() && (static_cast<unsigned char>(text_[pos_]) & 0xc0) == 0x80; ++pos_) {
  }
  return token(Tok::punct);
}

}  // namespace fencepost::axb
