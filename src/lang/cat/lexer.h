#pragma once
// Private to the room: cat text to tokens.
//
// A name is a letter, digit or '_' followed by letters, digits and any of  _ . - '  ; so `po-loc` and
// `membar.gl` are one name, and `a-b` never is a difference. "-1" on its own is the inverse of herd's old
// spelling `r-1`. Skipped: (* *) with nesting, /* */, // and # to the end of the line, and herd's {% %}
// blocks. The peer does not nest (* *): a comment that only ends without nesting is read its way.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cat/findings.h"

namespace fencepost::cat {

enum class Tok : uint8_t {
  name,
  string,
  tag,  // tag: herd's 'name
  lpar,
  rpar,
  lbrack,
  rbrack,
  lbrace,
  rbrace,
  comma,
  star,
  plus,
  plusplus,
  opt,
  hat,
  minus_one,
  tilde,
  amp,
  backslash,
  semi,
  bar,
  barbar,
  eq,
  arrow,
  kw_let,
  kw_rec,
  kw_and,
  kw_as,
  kw_in,
  kw_fun,
  kw_show,
  kw_unshow,
  kw_include,
  kw_acyclic,
  kw_irreflexive,
  kw_empty,
  kw_flag,
  kw_undefined_unless,
  kw_procedure,
  kw_call,
  kw_begin,
  kw_end,
  kw_enum,
  kw_instructions,
  kw_match,
  kw_with,
  kw_from,
  kw_try,
  kw_if,
  kw_then,
  kw_else,
  kw_forall,
  kw_do,
  kw_assert,
  kw_debug,
  end,
};

using Symbol = uint32_t;

// Names as small integers. The texts that are interned must outlive the table.
class Symbols {
 public:
  Symbols();  // the keywords come first: symbol i is keyword kw_let + i
  Symbol intern(std::string_view text);
  std::string_view text(Symbol s) const { return text_[s]; }
  size_t size() const { return text_.size(); }

 private:
  std::unordered_map<std::string_view, Symbol> ids_;
  std::vector<std::string_view> text_;
};

struct Token {
  Tok kind = Tok::end;
  uint32_t begin = 0;
  uint32_t end = 0;
  Symbol symbol = 0;  // of a name
};

// "(* key: value *)" with one of the keys that mean something:
//   dialect   the dialect of the tests that the model judges     summary   one sentence
//   axioms    the labels of the file's axioms and flags          shows     the labels of its shows
//   provides  definitions that exist for other files to use
//   aliases   definitions whose names give way to those that a later definition has for the same relation
//   vacuous   axioms that are known to hold of every execution
//   reading   "MODEL; TAGS; SENTENCE": another reading of the same document, and where it differs; any number of them
// White space in the value is collapsed.
struct Header {
  std::string key;
  std::string value;
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct Lexed {
  std::vector<Token> tokens;  // ends with one Tok::end
  std::vector<Header> headers;
};

Lexed lex(const SourcePtr& source, Symbols& symbols, Findings& findings);

// The words of a header value: separated by blanks or commas.
std::vector<std::string> words(const std::string& value);

}  // namespace fencepost::cat
