#pragma once
// The kernel is run before it is called verified. A proof says that no run shows a defect; some runs of small launches,
// which meet the launch and the preconditions, are tried all the same, with inputs of the kinds that lemmas forget:
// null pointers, addresses that are no multiples of 16, counters that do not start at 0, other sizes of sub-groups.
// What a run shows is a defect of the kernel whatever the proof says, and the answer becomes that defect.
//
// Input: a kernel that the prover calls verified, its options and the result. Output: the defect, as a finding of the
// prover that is confirmed. Law: no run, no claim: a launch that cannot be run leaves the answer as it is. Of what the
// proof names as an assumption (a counter that starts at 0, a barrier that acquires as CUDA's guide has it) runs are
// made that meet it.
// Budget: a fifth of the time of the proof, and some milliseconds at least.
//
// A proof that takes long is attacked while it is under way (EarlyRuns): what a run shows in milliseconds, a solver may
// look for in vain for minutes (rows of three factors, `z * w * h + y * w + x` behind `y <= h`).
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/job.h"
#include "interp/interp.h"
#include "ir/ir.h"
#include "launch/options.h"
#include "prove/prove.h"

namespace fencepost::verifier {

class Related;

struct Attack {
  std::optional<prove::Finding> finding;
  std::string run;     // how it was found, as one line
  std::string values;  // of a race (service.h)
  uint32_t runs = 0;
  uint32_t possible = 0;  // of these, that what is assumed does not exclude
};

// `related`: the module is its own, and the numbers of the runs meet it.
Attack attack(const ir::Module& m, ir::FunctionId kernel, const launch::Options& options, const prove::Options& engine,
              const prove::Result& proof, double seconds, const Related* related = nullptr);

// Runs beside a proof that does not end soon: after half a second, and again each time when four times as much has
// passed, for a tenth of that. Of what a proof may assume, these runs meet everything, and no input is wild: a defect
// that they show is one that no proof outweighs. Then the proof is told to stop.
class EarlyRuns {
 public:
  // What `job` is cancelled by counts too. All that is given has to outlive this.
  EarlyRuns(const ir::Module& m, ir::FunctionId kernel, const launch::Options& options, const prove::Options& engine,
            const Job& job);
  EarlyRuns(const EarlyRuns&) = delete;
  EarlyRuns& operator=(const EarlyRuns&) = delete;
  ~EarlyRuns();
  // For the proof.
  const Job& job() const { return job_; }
  // Ends the runs.
  std::optional<Attack> shown();

 private:
  void watch();
  void end();

  const ir::Module& m_;
  const ir::FunctionId kernel_;
  launch::Options options_;
  const prove::Options& engine_;
  const std::atomic<bool>* const outer_;
  std::atomic<bool> stop_ = false;  // the proof
  std::atomic<bool> over_ = false;  // the runs
  Job job_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Attack> found_;
  std::thread runs_;
};

// What simple preconditions say of parameters (`n == 64`, or one of the launch's sizes), by number of the parameter.
std::map<uint32_t, uint64_t> required(const ir::Function& f, const interp::Shape& shape);

// The clusters of a launch: those of the kernel, or of the shape where they divide the grid, or else none. With each
// group that is started all others of its cluster are. False: the grid is not one of whole clusters.
bool start_clusters(const ir::Module& m, ir::FunctionId kernel, interp::Shape& s);

// Arrays that atomics touch start with zeros in a run: locks that are free, counters at 0.
void start_at_zero(const ir::Module& m, interp::Inputs& inputs);

// Does the kernel ask in which sub-group a thread is, or meet there?
bool uses_warps(const ir::Module& m);

}  // namespace fencepost::verifier
