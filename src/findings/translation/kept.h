#pragma once
// How a store keeps a module: PTX as it is; SPIR-V, whose bytes are no text, as hexadecimal digits.
#include <fmt/format.h>

#include <string>

#include "translation/texts.h"

namespace fencepost::translation {

inline std::string kept(const std::string& module, Language language) {
  if (language != Language::opencl) return module;
  std::string out;
  for (const char c : module) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}
// What was kept; a digit that is none ends it.
inline std::string taken_out(const std::string& text, Language language) {
  if (language != Language::opencl) return text;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (size_t k = 0; k + 1 < text.size(); k += 2) {
    const size_t high = digits.find(text[k]), low = digits.find(text[k + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return out;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

}  // namespace fencepost::translation
