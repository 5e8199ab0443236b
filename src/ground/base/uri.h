#pragma once
// Paths as references to files, for the documents that other programs read (SARIF).
#include <string>
#include <string_view>

namespace fencepost {

// RFC 3986: every byte but letters, digits, "/", ".", "-", "_" and "~" is percent-encoded. An absolute path begins with
// "file://"; a relative one stays relative, for viewers look for it below their own root.
std::string uri_of_path(std::string_view path);

}  // namespace fencepost
