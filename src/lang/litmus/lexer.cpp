#include "litmus/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace fencepost::litmus {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

constexpr std::string_view k_two[] = {"==", "!=", "<=", ">=", "/\\", "\\/"};
constexpr std::string_view k_two_c[] = {"&&", "||", "->", "++", "--", "+=", "-=", "<<", ">>"};

// Offsets are 32 bits wide; longer texts are refused before they get here (Cursor and parse_header).
uint32_t checked_size(const SourcePtr& s) {
  if (s->text.size() >= std::numeric_limits<uint32_t>::max())
    fail_at(Span{s, 0, 0}, "the text is longer than 4 GiB", "split it");
  return static_cast<uint32_t>(s->text.size());
}

std::string describe(const Token& t) {
  switch (t.kind) {
    case Tok::end:
      return "the end of the text";
    case Tok::string:
      return "a quoted string";
    default:
      return litmus::quoted(t.text);
  }
}

// Runs of blanks and line breaks become one blank, so that the text prints on one line.
std::string one_line(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (!is_space(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

void fail_at(const Span& span, std::string message, std::string hint) {
  throw ParseError{
      Diagnostics(Diagnostic{Severity::error, Fault::bad_input, span, std::move(message), std::move(hint)})};
}

void unsupported(const Span& span, std::string message, std::string hint) {
  throw ParseError{
      Diagnostics(Diagnostic{Severity::error, Fault::unsupported, span, std::move(message), std::move(hint)})};
}

std::string quoted(std::string_view word) {
  std::string out = "'";
  for (char c : word.substr(0, 40)) out += is_ascii(c) && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f ? c : '?';
  if (word.size() > 40) out += "...";
  return out + "'";
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise) {
  if (word.size() > 100) return otherwise;  // edit distance is quadratic, and nobody mistypes that much
  const std::string near = nearest(word, candidates);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

// ---- cursor ------------------------------------------------------------------------------------------

Cursor::Cursor(SourcePtr source, LexOptions options, uint32_t begin, uint32_t end)
    : source_(std::move(source)), text_(source_->text), options_(options), pos_(begin), last_end_(begin) {
  text_ = text_.substr(0, std::min(checked_size(source_), end));
}

void Cursor::set_options(LexOptions options) {
  options_ = options;
  if (ahead_count_ > 0) pos_ = ahead_[0].begin;
  ahead_count_ = 0;
}

const Token& Cursor::peek(unsigned ahead) {
  FENCEPOST_INVARIANT(ahead < ahead_.size(), "the cursor looks at most three tokens ahead");
  while (ahead_count_ <= ahead) ahead_[ahead_count_++] = lex();
  return ahead_[ahead];
}

Token Cursor::next() {
  const Token t = peek();
  for (unsigned i = 1; i < ahead_count_; ++i) ahead_[i - 1] = ahead_[i];
  --ahead_count_;
  last_end_ = t.end;
  return t;
}

bool Cursor::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

Token Cursor::expect(std::string_view text, std::string_view hint) {
  if (!at(text)) fail_expected(peek(), litmus::quoted(text), hint);
  return next();
}

Token Cursor::expect_word(std::string_view what, std::string_view hint) {
  if (peek().kind != Tok::word) fail_expected(peek(), what, hint);
  return next();
}

Token Cursor::expect_number(std::string_view what, std::string_view hint) {
  if (peek().kind != Tok::number) fail_expected(peek(), what, hint);
  return next();
}

void Cursor::fail(const Token& t, std::string message, std::string hint) const {
  fail_at(span(t), std::move(message), std::move(hint));
}

void Cursor::fail_expected(const Token& found, std::string_view expected, std::string_view hint) const {
  std::string h(hint);
  if (h.empty())
    h = found.kind == Tok::end ? fmt::format("the text ends too early; add {}", expected)
                               : fmt::format("put {} before {}", expected, describe(found));
  fail(found, fmt::format("expected {}, found {}", expected, describe(found)), std::move(h));
}

void Cursor::skip_until(std::string_view close, std::string_view what) {
  const uint32_t begin = pos_;
  const size_t at = text_.find(close, pos_ + 2);
  if (at == std::string_view::npos)
    fail_at(span(begin, begin + 2), fmt::format("this {} is never closed", what),
            fmt::format("close it with {}", close));
  pos_ = static_cast<uint32_t>(at + close.size());
}

void Cursor::skip_blank() {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (is_space(c)) {
      ++pos_;
      continue;
    }
    const char d = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
    if (options_.litmus_comments && c == '(' && d == '*') {
      skip_until("*)", "comment");
    } else if (options_.litmus_comments && c == '<' && d == '<') {
      skip_until(">>", "annotation");
    } else if (options_.c_comments && c == '/' && d == '/') {
      const size_t eol = text_.find('\n', pos_);
      pos_ = static_cast<uint32_t>(eol == std::string_view::npos ? text_.size() : eol + 1);
    } else if (options_.c_comments && c == '/' && d == '*') {
      skip_until("*/", "comment");
    } else {
      return;
    }
  }
}

Token Cursor::lex() {
  skip_blank();
  const uint32_t begin = pos_;
  const auto size = static_cast<uint32_t>(text_.size());
  const auto make = [&](Tok kind, uint32_t end) {
    pos_ = end;
    return Token{kind, text_.substr(begin, end - begin), begin, end};
  };
  if (begin >= size) return Token{Tok::end, {}, size, size};
  const char c = text_[begin];
  if (is_alpha(c) || is_digit(c) || (options_.percent_words && c == '%')) {
    uint32_t end = begin + 1;
    while (end < size && (is_alpha(text_[end]) || is_digit(text_[end]))) ++end;
    return make(is_digit(c) ? Tok::number : Tok::word, end);
  }
  if (c == '"') {
    const size_t close = text_.find_first_of("\"\n", begin + 1);
    if (close == std::string_view::npos || text_[close] != '"')
      fail_at(span(begin, begin + 1), "this string is never closed", "close it with \" on the same line");
    pos_ = static_cast<uint32_t>(close + 1);
    return Token{Tok::string, text_.substr(begin + 1, close - begin - 1), begin, pos_};
  }
  if (!is_ascii(c))
    fail_at(span(begin, begin + 1), fmt::format("byte 0x{:02x} is outside ASCII", static_cast<unsigned char>(c)),
            "only comments, titles and quoted strings may hold other characters");
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
    fail_at(span(begin, begin + 1), fmt::format("control character 0x{:02x}", static_cast<unsigned char>(c)),
            "remove it; is this a text file?");
  const std::string_view two = text_.substr(begin, 2);
  if (std::find(std::begin(k_two), std::end(k_two), two) != std::end(k_two)) return make(Tok::punct, begin + 2);
  if (options_.c_operators && std::find(std::begin(k_two_c), std::end(k_two_c), two) != std::end(k_two_c))
    return make(Tok::punct, begin + 2);
  return make(Tok::punct, begin + 1);
}

// ---- numbers and names -------------------------------------------------------------------------------

uint64_t number_value(const Cursor& c, const Token& t, uint64_t max) {
  std::string_view digits = t.text;
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    digits.remove_prefix(2);
    base = 16;
  }
  uint64_t v = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
  if (ec == std::errc::result_out_of_range)
    c.fail(t, fmt::format("the number {} does not fit 64 bits", litmus::quoted(t.text)),
           "the largest value is 18446744073709551615");
  if (t.kind != Tok::number || ec != std::errc() || end != digits.data() + digits.size())
    c.fail(t, fmt::format("{} is not a number", litmus::quoted(t.text)),
           "numbers are decimal digits, or 0x and hexadecimal digits");
  // C and PTX read it to the base of eight.
  if (base == 10 && digits.size() > 1 && digits[0] == '0' && v >= 8)
    c.fail(t, fmt::format("{} begins with 0: in C and PTX that is an octal number", litmus::quoted(t.text)),
           fmt::format("write {}, or 0x and hexadecimal digits", v));
  if (v > max)
    c.fail(t, fmt::format("the number {} is out of range", litmus::quoted(t.text)),
           fmt::format("the largest value here is {}", max));
  return v;
}

bool at_constant(Cursor& c) { return c.peek().kind == Tok::number || (c.at("-") && c.peek(1).kind == Tok::number); }

uint64_t parse_constant(Cursor& c, uint8_t width) {
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const bool negative = c.accept("-");
  const Token t = c.expect_number("a constant");
  const uint64_t v = number_value(c, t, negative ? mask / 2 + 1 : mask);
  return (negative ? uint64_t{0} - v : v) & mask;
}

bool is_number_after(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix &&
         std::all_of(name.begin() + static_cast<long>(prefix.size()), name.end(), is_digit);
}

bool is_register_name(std::string_view name) { return is_number_after(name, "r"); }

bool at_thread_id(Cursor& c) {
  const Token& t = c.peek();
  return t.kind == Tok::number ||
         (t.kind == Tok::word && (is_number_after(t.text, "P") || is_number_after(t.text, "T")));
}

uint32_t parse_thread_id(Cursor& c) {
  if (!at_thread_id(c))
    c.fail_expected(c.peek(), "a thread such as P0", "threads are written P0, P1, ... or 0, 1, ...");
  Token t = c.next();
  Token digits = t;
  if (t.kind == Tok::word) {
    digits.kind = Tok::number;
    digits.text.remove_prefix(1);
  }
  return static_cast<uint32_t>(number_value(c, digits, 0xfffffffe));
}

// ---- header ------------------------------------------------------------------------------------------

Header parse_header(const SourcePtr& source) {
  const uint32_t size = checked_size(source);
  const std::string_view text = source->text;
  Header h;
  const bool bom = text.substr(0, 3) == "\xef\xbb\xbf";
  Cursor c(source, {}, bom ? 3 : 0);
  if (c.at_end())
    fail_at(c.span(c.peek()), "the text is empty", "a litmus test starts with PTX, VULKAN, OPENCL, CUDA or GPU_PTX");
  const Token lang = c.expect_word("the language of the test", "start with PTX, VULKAN, OPENCL, CUDA or GPU_PTX");
  h.language = std::string(lang.text);
  h.language_span = c.span(lang);

  // The rest is free text, so it is read as lines and not as tokens.
  std::string line;
  bool first_line = true;
  const auto end_line = [&] {
    std::string t = one_line(line);
    if (first_line)
      h.title = std::move(t);
    else if (!t.empty())
      h.remarks.push_back(std::move(t));
    line.clear();
    first_line = false;
  };
  uint32_t pos = c.last_end();
  while (true) {
    if (pos >= size)
      fail_at(Span{source, size, size}, "the initial state is missing",
              "add { ... } with the initial values, which may be empty");
    const char ch = text[pos];
    const std::string_view two = text.substr(pos, 2);
    if (ch == '{') break;
    if (ch == '\n') {
      end_line();
      ++pos;
    } else if (ch == '"') {
      const size_t close = text.find('"', pos + 1);
      if (close == std::string_view::npos)
        fail_at(Span{source, pos, pos + 1}, "this string is never closed", "close it with \"");
      if (std::string r = one_line(text.substr(pos + 1, close - pos - 1)); !r.empty())
        h.remarks.push_back(std::move(r));
      pos = static_cast<uint32_t>(close + 1);
      line += ' ';
    } else if (two == "(*" || two == "<<") {
      const std::string_view close = two == "(*" ? "*)" : ">>";
      const size_t at = text.find(close, pos + 2);
      if (at == std::string_view::npos)
        fail_at(Span{source, pos, pos + 2}, "this comment is never closed", fmt::format("close it with {}", close));
      pos = static_cast<uint32_t>(at + 2);
      line += ' ';
    } else {
      line += ch;
      ++pos;
    }
  }
  end_line();
  h.body = pos;
  return h;
}

}  // namespace fencepost::litmus
