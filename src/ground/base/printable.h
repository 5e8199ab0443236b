#pragma once
// Text of strangers on its way out. Names and lines of inputs end up on terminals, in logs and in documents; bytes that
// are no UTF-8 stop writers of JSON and XML, and control characters move the cursor, recolour or rename what was said
// before.
#include <string>
#include <string_view>

namespace fencepost {

// Valid UTF-8 without control characters but line feeds and tabs, and without the characters that turn the direction of
// writing: each byte or character that may not be is U+FFFD. "\r\n" is "\n". The text itself if nothing is to be done.
std::string printable(std::string_view text);
// The same for what stands inside a line: line feeds and tabs go too.
std::string printable_name(std::string_view name);

}  // namespace fencepost
