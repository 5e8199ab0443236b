#pragma once
// Comma-separated values (RFC 4180, lines end in a line feed).
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

// Quoted where it has commas, quotes or line breaks. A text that spreadsheets would run as a formula (it begins with =
// + - @ or a blank that is no space, and is no number) has an apostrophe before it, which they take for the sign of a
// text.
std::string csv_field(std::string_view cell);
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace fencepost
