#pragma once
// Takes a program apart while it stays interesting.
#include <functional>

#include "program.h"

namespace fencepost::fuzz {

// A program that `interesting` accepts and none of whose smaller neighbours it accepts, or the best one found
// in `attempts` questions. `p` itself must be interesting.
inline Program shrink(Program p, const std::function<bool(const Program&)>& interesting, uint32_t attempts = 2000) {
  for (bool progress = true; progress;) {
    progress = false;
    for (Program& candidate : smaller(p)) {
      if (attempts-- == 0) return p;
      if (!interesting(candidate)) continue;
      p = std::move(candidate);
      progress = true;
      break;
    }
  }
  return p;
}

}  // namespace fencepost::fuzz
