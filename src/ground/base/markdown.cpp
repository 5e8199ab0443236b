#include "base/markdown.h"

#include "base/printable.h"

namespace fencepost {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable_name(text))
    if (std::string_view("<>&|[]!`").find(c) != std::string_view::npos)
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    else
      out += c;
  return out;
}

}  // namespace fencepost
