#include "standalone/source_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::standalone {

std::string commented(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    while (!line.empty() && (line.back() == '\\' || line.back() == ' ' || line.back() == '\r')) line.pop_back();
    out += line.empty() ? "//\n" : "//   " + line + "\n";
    at = end + 1;
  }
  return out;
}

std::string literal(const std::string& s) {
  std::string out = "\"";
  for (const char ch : s) {
    const auto c = static_cast<unsigned char>(ch);
    if (c == '"' || c == '\\')
      out += {'\\', ch};
    else if (c < 32 || c > 126)
      out += fmt::format("\\{:03o}", c);
    else
      out += ch;
  }
  return out + "\"";
}

std::string as_literals(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    out += "    " + literal(text.substr(at, end - at + 1)) + "\n";
    at = end + 1;
  }
  return out;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace fencepost::standalone
