#pragma once
// A state of a search, as words, and its hash: what visited states are kept by.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fencepost::explicit_state {

using Key = std::vector<uint64_t>;
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (uint64_t v : k) h = (h ^ v) * 0xff51afd7ed558ccdull, h ^= h >> 29;
    return h;
  }
};

}  // namespace fencepost::explicit_state
