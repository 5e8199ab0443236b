#pragma once
// FNV-1a with 64 bits: names for texts and binaries, and a guard against torn writes. Not against malice.
#include <cstdint>
#include <string>
#include <string_view>

namespace fencepost {

inline constexpr uint64_t k_fnv_begin = 0xcbf29ce484222325u;

// Of several pieces: hand the hash of the first to the second.
inline uint64_t fnv1a(std::string_view bytes, uint64_t h = k_fnv_begin) {
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

std::string hex16(uint64_t v);  // 16 hexadecimal digits

}  // namespace fencepost
