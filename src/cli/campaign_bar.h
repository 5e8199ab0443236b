#pragma once
// The progress bar of campaigns, for `campaign` and `certify`: it counts instances, and its time left comes from the
// parts of the works. Where there is no terminal, a line now and then (SlowLines).
#include <algorithm>

#include "base/job.h"
#include "campaign/conduct.h"
#include "cli/console.h"
#include "cli/parallel.h"

namespace fencepost::cli {

class CampaignBar {
 public:
  explicit CampaignBar(const Console& console)
      : console_(console), start_(Job::Clock::now()), drawn_(start_), slow_(start_) {}
  CampaignBar(Console&&) = delete;
  ~CampaignBar() { clear(); }
  void at(const campaign::Progress& p);
  void clear();  // before other output

 private:
  const Console& console_;
  Job::Clock::time_point start_, drawn_;
  double first_ = -1;
  bool visible_ = false;
  SlowLines slow_;
};

}  // namespace fencepost::cli
