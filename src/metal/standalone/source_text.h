#pragma once
// Pieces of text that every stand-alone program has. Inside standalone only.
#include <string>

namespace fencepost::standalone {

// Text after "// " on every line, without lines that would leave the comment.
std::string commented(const std::string& text);
// A C string literal; as_literals: every line of a text as one of its own.
std::string literal(const std::string& s);
std::string as_literals(const std::string& text);
// Every place of `what` in `text` becomes `with`.
void replace(std::string& text, const std::string& what, const std::string& with);

}  // namespace fencepost::standalone
