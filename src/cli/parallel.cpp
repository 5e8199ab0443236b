#include "cli/parallel.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::cli {

Progress::Progress(const Console& console, size_t total, std::string_view what, bool lines)
    : console_(console),
      total_(total),
      what_(what),
      start_(Job::Clock::now()),
      drawn_(start_),
      lines_(lines),
      slow_(start_) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (visible_) console_.draw();
  visible_ = false;
}

void Progress::at(size_t done) {
  if ((!console_.err_is_terminal && !lines_) || total_ < 2) return;
  const auto now = Job::Clock::now();
  if (!console_.err_is_terminal) {
    if (slow_.due(now))
      console_.err(fmt::format("{} of {} {} after {:.0f} s\n", done, total_, what_,
                               std::chrono::duration<double>(now - start_).count()));
    return;
  }
  if (now - start_ < std::chrono::milliseconds(500) || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  visible_ = true;
  constexpr size_t k_cells = 30;
  const size_t filled = std::min(done, total_) * k_cells / total_;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  console_.draw(fmt::format("[{}{}] {}/{} {}, {:.0f} s", std::string(filled, '#'), std::string(k_cells - filled, '.'),
                            done, total_, what_, seconds));
}

uint32_t thread_count(uint32_t wanted, size_t work) {
  if (wanted == 0) wanted = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<uint32_t>(std::min<size_t>(wanted, std::max<size_t>(work, 1)));
}

}  // namespace fencepost::cli
