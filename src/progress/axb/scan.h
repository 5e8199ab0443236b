#pragma once
// Tokens of the three notations of progress tests, and the faults of their readers. Internal to this room.
//
// A fault of the input is thrown as ParseError, so that the grammars read as grammars; `parse` (read.cpp) turns it into
// Expected. Nothing else leaves the room.
#include <cstdint>
#include <iomanip>  // std::quoted is seen everywhere, not only where <chrono> brings it
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::axb {

struct ParseError {
  Diagnostics diagnostics;
};
[[noreturn]] void fail_at(const Span& span, std::string message, std::string hint = {});

// The word in quotes, cut to a readable length. Call it as axb::quoted: else std::quoted is taken for a std::string.
std::string quoted(std::string_view word);
// "did you mean 'x'?" or `otherwise`.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates, std::string otherwise = {});

bool is_reserved(std::string_view word);        // a keyword of our own form
bool is_name(std::string_view text);            // [A-Za-z_][A-Za-z0-9_]*
std::string default_location_name(uint32_t i);  // x y z w m4 m5 ...: what the numbered forms call location i

enum class Tok : uint8_t { end, word, number, string, punct };

struct Token {
  Tok kind = Tok::end;
  std::string_view text;  // as written; a string with its quotes
  uint32_t begin = 0, end = 0;
  bool is(std::string_view s) const { return kind != Tok::end && kind != Tok::string && text == s; }
};

class Scanner {
 public:
  // With comments: `// ...` and `/* ... */`. Comment lines (`//` first on its line) are collected.
  Scanner(SourcePtr source, bool comments);

  const Token& peek() const { return token_; }
  Token next();
  bool at(std::string_view s) const { return token_.is(s); }
  bool at_end() const { return token_.kind == Tok::end; }
  bool accept(std::string_view s);
  Token expect(std::string_view s, std::string_view hint = {});
  Value expect_value(std::string_view what, std::string_view hint = {});  // 0 .. 2^32 - 1, decimal or 0x..
  std::string expect_string(std::string_view what);                       // with its escapes resolved
  // Comment lines read since the last call, those after the last token taken and before the next one included.
  std::vector<std::string> take_comment_lines();

  const SourcePtr& source() const { return source_; }
  Span span(const Token& t) const { return Span{source_, t.begin, t.end}; }
  Span since(uint32_t begin) const { return Span{source_, begin, last_end_}; }
  [[noreturn]] void fail(const Token& t, std::string message, std::string hint = {}) const;
  [[noreturn]] void fail_expected(std::string_view expected, std::string_view hint = {}) const;  // ", found 'Y'"
  Value value_of(const Token& t, std::string_view what) const;
  std::string unescape(const Token& t) const;

 private:
  Token lex();
  void skip_blank();

  SourcePtr source_;
  std::string_view text_;
  bool comments_;
  uint32_t pos_ = 0, last_end_ = 0;
  std::vector<std::string> comment_lines_;
  Token token_;
};

// One per notation.
std::vector<Test> parse_text(const SourcePtr& source);
std::vector<Test> parse_pseudo_code(const SourcePtr& source);
std::vector<Test> parse_json_lines(const SourcePtr& source);

// Writes `s` between quotes with the escapes that both our form and JSON read.
std::string quote(std::string_view s);

}  // namespace fencepost::axb
