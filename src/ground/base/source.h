#pragma once
// Texts and places in them. A Source is one input text (a litmus file, a .cat model, an in-memory
// string); a Span is a half-open byte range of one. Spans travel inside parse results so that every
// later message can point at the input, and they never take part in comparisons: two programs that
// differ only in layout are equal.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fencepost {

struct Source {
  std::string name;  // as the user wrote it; "-" for standard input
  std::string text;
};
using SourcePtr = std::shared_ptr<const Source>;

SourcePtr make_source(std::string name, std::string text);

struct Position {
  uint32_t line = 0;    // 1-based
  uint32_t column = 0;  // 1-based, in bytes
};

struct Span {
  SourcePtr source;  // null for things the program made itself
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) { return true; }  // layout is not meaning

  Position position() const;      // of `begin`; {0,0} without a source
  std::string_view text() const;  // the covered bytes
  std::string location() const;   // "name:line:col", or "" without a source
};

Span join(const Span& a, const Span& b);  // smallest span covering both (same source)

}  // namespace fencepost
