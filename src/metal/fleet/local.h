#pragma once
// Tasks as processes on this machine, some at a time. They end with the program that follows them.
#include <sys/types.h>

#include <deque>

#include "fleet/engine.h"
#include "fleet/folder.h"

namespace fencepost::fleet {

class Local : public Engine {
 public:
  // `program`: the path of fencepost. `at_a_time`: processes.
  Local(const Folder& folder, std::string program, uint32_t at_a_time)
      : folder_(folder), program_(std::move(program)), at_a_time_(at_a_time) {}
  ~Local() override { end(); }
  Expected<Look> look() override;
  Expected<void> start(const std::vector<uint32_t>& tasks) override;
  std::string leave() override;
  double pause() const override { return 0.02; }

 private:
  void fill();
  void end();
  const Folder& folder_;
  std::string program_;
  uint32_t at_a_time_;
  std::deque<uint32_t> waiting_;
  std::map<uint32_t, pid_t> running_;
  std::map<uint32_t, std::string> ended_;
};

}  // namespace fencepost::fleet
