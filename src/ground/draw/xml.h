#pragma once
// Text inside of XML (SVG): content of elements and values of attributes.
#include <string>
#include <string_view>

namespace fencepost::draw {

// Line feeds become spaces; tabs are left out, and what `printable` does not keep, since XML 1.0 does not have it, is
// U+FFFD.
std::string escape_xml(std::string_view s);

}  // namespace fencepost::draw
