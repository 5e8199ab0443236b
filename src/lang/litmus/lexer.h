#pragma once
// Tokens of the litmus languages, and a cursor over them.
//
// The lexer works on demand, one token at a time, because what is a comment depends on the place: `(*` opens
// one in a header and in assembly, and is a dereference inside an OpenCL thread. Tokens point into the source
// text, which the cursor keeps alive.
//
// Inside this room a fault of the input is thrown as ParseError, so that grammars read as grammars; every
// public parse function wraps itself in `guarded`, which turns it into Expected. Nothing else leaves the room.
#include <array>
#include <cstdint>
#include <iomanip>  // std::quoted is seen everywhere, not only where <chrono> brings it
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::litmus {

struct ParseError {
  Diagnostics diagnostics;
};

// Runs a parser; a thrown ParseError becomes the error of the result.
template <class F>
auto guarded(F&& parse) -> Expected<std::invoke_result_t<F>> {
  try {
    return parse();
  } catch (ParseError& e) {
    return std::unexpected(std::move(e.diagnostics));
  }
}

[[noreturn]] void fail_at(const Span& span, std::string message, std::string hint = {});
[[noreturn]] void unsupported(const Span& span, std::string message, std::string hint = {});

struct LexOptions {
  bool litmus_comments = true;  // (* ... *) and << ... >>
  bool c_comments = false;      // // ... and /* ... */
  bool c_operators = false;     // && || -> ++ -- += -= << >> are one token each; else || is two empty cells
  bool percent_words = false;   // a word may begin with %
};

enum class Tok : uint8_t { end, word, number, string, punct };

struct Token {
  Tok kind = Tok::end;
  std::string_view text;  // as written; a string without its quotes; empty at the end
  uint32_t begin = 0;     // bytes; a string's range includes its quotes
  uint32_t end = 0;

  // A word, number or punctuation with this text. A quoted string never is.
  bool is(std::string_view s) const { return kind != Tok::string && kind != Tok::end && text == s; }
};

class Cursor {
 public:
  // Reads the bytes from `begin` to `end` (or the end of the text).
  explicit Cursor(SourcePtr source, LexOptions options = {}, uint32_t begin = 0, uint32_t end = ~uint32_t{0});

  // The token `ahead` places further on (0: the next one; at most 3).
  const Token& peek(unsigned ahead = 0);
  Token next();
  bool at(std::string_view text) { return peek().is(text); }
  bool at_end() { return peek().kind == Tok::end; }
  bool accept(std::string_view text);
  Token expect(std::string_view text, std::string_view hint = {});
  // A word; `what` names the role in the message ("a location").
  Token expect_word(std::string_view what, std::string_view hint = {});
  Token expect_number(std::string_view what, std::string_view hint = {});

  // Tokens already looked at are lexed again under the new options.
  void set_options(LexOptions options);
  LexOptions options() const { return options_; }

  uint32_t position() { return peek().begin; }     // byte offset of the next token
  uint32_t last_end() const { return last_end_; }  // byte after the last token taken
  const SourcePtr& source() const { return source_; }
  Span span(const Token& t) const { return Span{source_, t.begin, t.end}; }
  Span span(uint32_t begin, uint32_t end) const { return Span{source_, begin, end}; }
  Span since(uint32_t begin) const { return Span{source_, begin, last_end_}; }  // up to the last token taken
  [[noreturn]] void fail(const Token& t, std::string message, std::string hint = {}) const;
  // "expected X, found 'Y'"
  [[noreturn]] void fail_expected(const Token& found, std::string_view expected, std::string_view hint = {}) const;

 private:
  Token lex();
  void skip_blank();
  void skip_until(std::string_view close, std::string_view what);

  SourcePtr source_;
  std::string_view text_;
  LexOptions options_;
  uint32_t pos_ = 0;
  uint32_t last_end_ = 0;
  std::array<Token, 4> ahead_;
  unsigned ahead_count_ = 0;
};

// ---- numbers and names -------------------------------------------------------------------------------

// Value of a number token, decimal or 0x.., which must be at most `max`.
uint64_t number_value(const Cursor& c, const Token& t, uint64_t max = ~uint64_t{0});

// `-`? number, as two's complement of `width` bits. Range: -2^(width-1) .. 2^width - 1.
uint64_t parse_constant(Cursor& c, uint8_t width = 64);
bool at_constant(Cursor& c);

// "P3", "T3" (the 2014 dialect) or "3", in that spelling; `at_thread_id` also asks that a ':' follows if `colon`.
bool at_thread_id(Cursor& c);
uint32_t parse_thread_id(Cursor& c);

// "r" followed by digits only; such names are registers in assembly dialects.
bool is_register_name(std::string_view name);
bool is_number_after(std::string_view name, std::string_view prefix);  // "LC00" after "LC"

// "did you mean 'x'?" or `otherwise`.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise = {});
// 'word', cut to a readable length. Call it as litmus::quoted: without, std::quoted is taken for a std::string.
std::string quoted(std::string_view word);

// ---- header ------------------------------------------------------------------------------------------

// What stands before the first '{': "LANG title", then quoted remarks. Free lines between are remarks too.
struct Header {
  std::string language;  // as written
  std::string title;     // rest of the first line, trimmed
  std::vector<std::string> remarks;
  Span language_span;
  uint32_t body = 0;  // offset of the first '{'
};
Header parse_header(const SourcePtr& source);

}  // namespace fencepost::litmus
