#include "base/printable.h"

#include <cstdint>

namespace fencepost {
namespace {

constexpr std::string_view k_replacement = "\xef\xbf\xbd";

// The character at the front and its length; 0 where no character is. Overlong forms, surrogates and what is above
// U+10FFFF are none (Unicode, table 3-7).
struct Character {
  uint32_t code = 0;
  size_t length = 0;
};
Character front(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto more = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint32_t b = byte(0);
  if (b < 0x80) return {b, 1};
  if (b >= 0xc2 && b <= 0xdf && more(1)) return {(b & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if ((b & 0xf0) == 0xe0 && more(1) && more(2)) {
    const uint32_t code = (b & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (code >= 0x800 && (code < 0xd800 || code > 0xdfff)) return {code, 3};
  }
  if (b >= 0xf0 && b <= 0xf4 && more(1) && more(2) && more(3)) {
    const uint32_t code = (b & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    if (code >= 0x10000 && code <= 0x10ffff) return {code, 4};
  }
  return {};
}

bool shown(uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  if (c == 0x2028 || c == 0x2029) return false;  // line ends of some readers
  return !(c == 0x200e || c == 0x200f || c == 0x061c || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
}

std::string clean(std::string_view text, bool line_ends) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = front(text);
    if (c.length == 0) {
      out += k_replacement;
      text.remove_prefix(1);
      continue;
    }
    if (line_ends && text.starts_with("\r\n")) text.remove_prefix(1);
    if (shown(c.code) || (line_ends && (text[0] == '\n' || text[0] == '\t')))
      out += text.substr(0, c.length);
    else
      out += k_replacement;
    text.remove_prefix(text[0] == '\n' ? 1 : c.length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return clean(text, true); }
std::string printable_name(std::string_view name) { return clean(name, false); }

}  // namespace fencepost
