// What limits of a worker are called, and what they are.
#include <fmt/format.h>

#include "cli/worker.h"

namespace fencepost::cli {

Limits limits_of(const Settings& s) {
  return {.seconds = s.budget, .memory = *parse_memory(s.memory), .total = s.total_budget, .end = s.end};
}

std::optional<uint64_t> parse_memory(const std::string& text) {
  if (text == "none") return 0;
  uint64_t n = 0;
  size_t i = 0;
  for (; i < text.size() && i < 9 && text[i] >= '0' && text[i] <= '9'; ++i)
    n = 10 * n + static_cast<uint64_t>(text[i] - '0');
  if (i == 0 || i + 1 != text.size() || n == 0) return std::nullopt;
  const unsigned shift = text[i] == 'M' ? 20 : text[i] == 'G' ? 30 : 0;
  if (shift == 0 || n > (uint64_t{1} << 50) >> shift || n << shift < uint64_t{64} << 20) return std::nullopt;
  return n << shift;
}

std::string memory_text(uint64_t bytes) {
  return bytes % (uint64_t{1} << 30) == 0 ? fmt::format("{} GiB", bytes >> 30) : fmt::format("{} MiB", bytes >> 20);
}

}  // namespace fencepost::cli
