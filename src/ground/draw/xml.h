#pragma once
// Text inside of XML (SVG): content of elements and values of attributes.
#include <string>
#include <string_view>

namespace fencepost::draw {

// Line feeds become spaces; other control characters, which XML 1.0 does not have, are left out.
std::string escape_xml(std::string_view s);

}  // namespace fencepost::draw
