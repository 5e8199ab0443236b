#include "campaign/rate.h"

#include <fmt/format.h>

namespace fencepost::campaign {

std::string rate_text(double x) {
  if (x >= 1e9) return fmt::format("{:.3g} G/s", x / 1e9);
  if (x >= 1e6) return fmt::format("{:.3g} M/s", x / 1e6);
  if (x >= 1e3) return fmt::format("{:.3g} k/s", x / 1e3);
  return fmt::format("{:.3g} /s", x);
}

}  // namespace fencepost::campaign
