#pragma once
// Headers in comments: "@Word: text", one a line, wherever the comment stands. Of assembly, comments are "; ..."; of a
// text that a compiler reads, "// ..." to the end of the line and the lines of "/* ... */".
//
// A word that is no header is an error, so that a mistyped one is not taken for a remark. Documentation comments ("/**
// ... */", "///", "//!") may hold commands of documentation tools, such as "@brief text": a word without a colon passes
// there, unless a header is spelt almost like it.
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace fencepost::spirv {

struct CommentHeader {
  std::string word;             // "Config"
  uint32_t word_begin = 0;      // behind the @
  uint32_t begin = 0, end = 0;  // of what follows the colon, in the text
};

// Throws ParseError. `known`: words of headers that may stand here.
std::vector<CommentHeader> comment_headers(const SourcePtr& source, bool assembly,
                                           const std::vector<std::string>& known);

}  // namespace fencepost::spirv
