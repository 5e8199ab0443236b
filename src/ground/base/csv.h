#pragma once
// Comma-separated values (RFC 4180, lines end in a line feed).
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

std::string csv_field(std::string_view cell);  // quoted where it has commas, quotes or line breaks
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace fencepost
