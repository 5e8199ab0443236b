#pragma once
// Runs of tests with asynchronous PTX (async/ptx9.h) on a CUDA device, for runner.h. A round group draws the cycles
// that threads wait, whether locations are read before the test, and traffic; its launches are repeated as those of
// other tests. Nothing of plan/parameters.h is drawn: wishes for them are refused.
//
// Refused by name: devices but CUDA, tests with two addresses of one location, and tensor maps; `fencepost emit
// --target cuda-source` writes programs for the last two. The gate reads their machine code (inspect/async_sass.h).
#include <memory>

#include "async/ptx9.h"
#include "campaign/runner.h"

namespace fencepost::campaign {

class AsyncRun {
 public:
  // The rest of `setup` is filled in here.
  static Expected<AsyncRun> make(const prog::Test& test, const Options& options, device::Backend& backend,
                                 Setup& setup);
  AsyncRun(AsyncRun&& other) noexcept;
  AsyncRun& operator=(AsyncRun&&) = delete;
  ~AsyncRun();
  // `g` has its number and seed.
  Expected<void> run_group(const prog::Test& test, const Options& options, RoundGroup& g);

 private:
  AsyncRun(async::Ptx9Module m, device::Backend& backend) : module_(std::move(m)), backend_(&backend) {}
  Expected<void> reserve();
  Expected<void> launch(const prog::Test& test, const Options& options, const async::Ptx9Settings& s, uint32_t traffic,
                        RoundGroup& g);
  void count(const prog::Test& test, const std::vector<uint32_t>& out, const std::vector<uint32_t>& memory,
             RoundGroup& g) const;

  async::Ptx9Module module_;
  device::Backend* backend_;
  device::ModuleId loaded_ = 0;
  std::vector<device::BufferId> buffers_;
  std::vector<uint32_t> initial_;  // memory of all instances
};

}  // namespace fencepost::campaign
