#include "cli/campaign_bar.h"

#include <fmt/format.h>

namespace fencepost::cli {
namespace {

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

void CampaignBar::at(const campaign::Progress& p) {
  if (first_ < 0) first_ = p.part;
  const auto now = Job::Clock::now();
  if (console_.err_is_terminal ? now - drawn_ < std::chrono::milliseconds(200) : !slow_.due(now)) return;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double done = p.part - first_;
  const std::string left = done > 0.001 ? ", " + duration(spent * (1 - p.part) / done) + " left" : "";
  const std::string line =
      fmt::format("[{:3.0f} %] {} of {} works, {:.3g} instances/s, {} weak{}: {}", 100 * p.part, p.done, p.all,
                  static_cast<double>(p.instances) / std::max(spent, 1e-9), p.events, left, p.now);
  if (!console_.err_is_terminal) return console_.err(line + "\n");
  drawn_ = now;
  visible_ = true;
  console_.draw(line);
}

void CampaignBar::clear() {
  if (visible_) console_.draw();
  visible_ = false;
}

}  // namespace fencepost::cli
