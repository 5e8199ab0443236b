#include "base/uri.h"

#include <fmt/format.h>

namespace fencepost {

std::string uri_of_path(std::string_view path) {
  constexpr std::string_view k_plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.-_~";  // unreserved characters, and the slash
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (k_plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace fencepost
