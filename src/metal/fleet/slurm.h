#pragma once
// Tasks as a job array of Slurm: `sbatch` starts them, `squeue` says where they are. Nothing is remembered of the
// jobs: they are found in the queue by the name that only this folder has, so whoever gives the command again, on
// whichever login node, goes on with what is there. No accounting database is needed.
//
// Jobs are submitted with --no-requeue: the follower alone decides what is started again. Tried with slurm-wlm 22.05.
#include "fleet/engine.h"
#include "fleet/folder.h"

namespace fencepost::fleet {

class Slurm : public Engine {
 public:
  // Error: there is no sbatch here, or an option takes from the follower what it finds its jobs by.
  static Expected<Slurm> make(const Folder& folder, const Tasks& tasks, std::string program, uint32_t at_a_time,
                              std::vector<std::string> options);
  Slurm(Slurm&& other) noexcept
      : folder_(other.folder_),
        id_(std::move(other.id_)),
        program_(std::move(other.program_)),
        sbatch_(std::move(other.sbatch_)),
        squeue_(std::move(other.squeue_)),
        scancel_(std::move(other.scancel_)),
        at_a_time_(other.at_a_time_),
        options_(std::move(other.options_)),
        began_(other.began_) {}
  Expected<Look> look() override;
  Expected<void> start(const std::vector<uint32_t>& tasks) override;
  std::string leave() override;
  double pause() const override;
  bool may_pass(const Diagnostics& why) const override;

 private:
  explicit Slurm(const Folder& folder);
  const Folder& folder_;
  std::string id_, program_, sbatch_, squeue_, scancel_;
  uint32_t at_a_time_ = 0;  // 0: as many as the cluster starts
  std::vector<std::string> options_;
  std::chrono::steady_clock::time_point began_;
};

// What `squeue --array --states=all -o "%F|%K|%T|%N|%r"` printed. `held`: jobs that wait for ever since their launch
// failed.
Expected<Look> look_of(const std::string& printed, std::vector<std::string>& held);
// "1-3,7" for 1, 2, 3, 7.
std::string array_of(const std::vector<uint32_t>& tasks);

}  // namespace fencepost::fleet
