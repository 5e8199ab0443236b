#pragma once
// Words of a progress model. Comments run from '#' or '//' to the end of the line.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::fair {

struct Token {
  enum class Kind : uint8_t { word, number, string, sign, end };
  Kind kind = Kind::end;
  std::string text;  // of a string: without its quotes
  int64_t number = 0;
  Span span;
};

struct Lexed {
  std::vector<Token> tokens;  // the last one is `end`
  std::string comment;        // the lines of comment before the first token
};

Expected<Lexed> lex(const SourcePtr& source);

}  // namespace fencepost::fair
