#pragma once
// Runs one progress test on one opened device: launch after launch of the kernel of trial/kernel.h, each on fresh
// memory. In: test, options, backend. Out: for every run how it ended, and who starved.
//
// How a run ends:
//   terminated  every invocation came to the end of its code
//   starved     the kernel's watchdog ended some of them: after `limit` seconds (or steps) one still had not ended, and
//               those that would have let it go on had not either. A limit is no proof: what starves within it might
//               end later. `waiting` are threads that stood at an instruction, `unstarted` those that began only when
//               the flag was up; the union is who starved, over all instances.
//   hung        the launch itself did not end within `launch_limit` seconds; the backend is dead
// Laws. Every word of the table of ends is one of End, and the counter says the same as the table; else the run is an
// error and counts as nothing.
//
// Who is where. inter_workgroup: workgroups of one invocation. intra_warp: workgroups that are one subgroup, with all
// threads of an instance in it (plain and round-robin). intra_warp_lock_step: the same, built for lanes that share one
// program counter (CUDA, emit/kernel_ptx.h). intra_workgroup: one workgroup for an instance, each thread the first
// lane of a subgroup of its own (lanes of a subgroup are taken to have consecutive numbers). cooperative: as
// inter_workgroup, in a launch that the device takes only when all workgroups are on it together (CUDA).
//
// Units: seconds. Errors: totals that do not fit, what the device lacks (unsupported), a launch that was lost.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "device/backend.h"
#include "export/table.h"
#include "trial/kernel.h"

namespace fencepost::trial {

enum class Variant : uint8_t { inter_workgroup, intra_warp, intra_warp_lock_step, cooperative, intra_workgroup };
std::string_view to_string(Variant v);  // "inter-workgroup"
std::optional<Variant> variant_from(std::string_view name);
const std::vector<std::string>& variant_names();

struct Options {
  exports::Mapping mapping = exports::Mapping::plain;
  Variant variant = Variant::inter_workgroup;
  uint32_t total = 0;                                         // launched invocations; 0: see default_total
  uint64_t seed = 1;                                          // of the hybrid mapping
  std::shared_ptr<const exports::RoleTable> table = nullptr;  // of Mapping::table, which launches what it lists
  exports::Order order = exports::Order::relaxed;
  exports::Loads loads = exports::Loads::add;
  bool watchdog = true;     // false: a run that starves hangs, and its process is killed
  uint32_t contention = 0;  // additions of 0 by every invocation without a role
  uint32_t padding = 1;     // words from one location to the next
  double limit = 0;         // of the watchdog; 0: see default_limit
  double launch_limit = 20;
  bool operator==(const Options&) const = default;
};

// plain: T. Else 65,532 on devices that hold thousands of workgroups, 60 elsewhere, cut to a multiple of T.
uint32_t default_total(const device::Info& info, exports::Mapping mapping, uint32_t threads);
// 0.1 s on a device with a scheduler of its own, 1 s on processors that others use too. The sequential executor counts
// a statement as a nanosecond: 0.5 ms.
double default_limit(const device::Info& info);

// How output and stores name the mapping: "chunked", or the name of the table.
std::string mapping_text(const Options& options);

// What belongs to the key of a stored run besides test, device and mapping: "inter-workgroup total=65532", with order,
// loads, contention, padding and seed where they are not the default, and the digest of a table of roles.
std::string variant_text(const Options& options, uint32_t total);
// Whether the ids of an instance may lie in any order (said by a table of roles), from such a text.
bool any_order(std::string_view variant_text);

enum class Outcome : uint8_t { terminated, starved, hung };
std::string_view to_string(Outcome o);
std::optional<Outcome> outcome_from(std::string_view name);

using ThreadSet = uint64_t;                   // bit t: thread t
std::string threads_text(ThreadSet threads);  // "0,2"
std::optional<ThreadSet> threads_from(std::string_view text);

struct Run {
  Outcome outcome = Outcome::terminated;
  ThreadSet waiting = 0, unstarted = 0;
  uint32_t instances = 0, starved_instances = 0;  // instances with a thread that did not end
  double seconds = 0;                             // of the launch
  ThreadSet starved() const { return waiting | unstarted; }
  bool operator==(const Run&) const = default;
};

struct Setup {
  device::Info device;
  uint32_t total = 0, lanes = 1, instances = 0, resident = 0;  // resident: workgroups together; 0: not known
  double limit = 0;
  std::string variant;  // variant_text
  std::string binary_kind, binary_hash, what_ran;
};

// A kernel's module for any backend, printed in its language. `what_ran`: "as-written" where every access of the kernel
// is in the machine code (CUDA, and kernels that are run as values); "dropped: ..." where an assembler left one out, so
// that what starves is another program; else "unverified".
struct Loaded {
  device::ModuleId module = 0;
  std::string what_ran;
};
Expected<Loaded> load_kernel(device::Backend& backend, const code::Kernel& kernel, bool lock_step = false);
// Kernels that one backend has loaded, by their text: mappings of one test share theirs.
using Modules = std::map<std::string, Loaded>;

// The backend outlives it. `modules`: those of this backend, read and added to.
class Trial {
 public:
  static Expected<Trial> make(const axb::Test& test, const Options& options, device::Backend& backend,
                              Modules* modules = nullptr);
  Trial(Trial&&) noexcept;
  Trial& operator=(Trial&&) noexcept;
  ~Trial();
  const Setup& setup() const;
  // `number`: which run of the test it is; the device's own random numbers depend on that and the options' seed alone.
  Expected<Run> run(uint32_t number = 0);

 private:
  struct Impl;
  explicit Trial(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fencepost::trial
