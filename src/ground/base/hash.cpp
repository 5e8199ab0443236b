#include "base/hash.h"

namespace fencepost {

std::string hex16(uint64_t v) {
  std::string out(16, '0');
  for (size_t i = 16; i-- > 0; v >>= 4) out[i] = "0123456789abcdef"[v & 15];
  return out;
}

}  // namespace fencepost
