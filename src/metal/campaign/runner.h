#pragma once
// Runs one litmus test on one opened device: round group after round group, each under parameters of its own, until
// told to stop. In: test, options, backend. Out: per round group the counts of all final states, and their sum.
//
// The unit of sampling is the *round group*: one draw of the parameters (plan/parameters.h), one or several launches.
// Instances of one launch are not independent of each other, so statistics take round groups as samples.
//
// Laws. (1) A round group is a function of (test, device, options, its number) up to what the device does: its seed is
// mixed from Options::seed and the number, so any group can be run again alone, and a campaign that was resumed has the
// groups of one that was not. The reference device's time is counted, so its launches are a function of that too. (2)
// states + corrupt + incomplete + filtered of a group sum up to its instances; whatever is missing is counted as
// corrupt, and a launch of which not each kernel ran once, whole, is corrupt as a whole. (3) corrupt > 0 fails the run:
// something between plan and memory is broken, and no count of that run is evidence. (4) Time-outs of the alignment are
// counted, never mistaken for outcomes.
//
// Nothing here survives a hanging driver: session.h runs this in a child process that can be killed.
// Units: seconds. Errors: Diagnostics; an unsupported test names the feature.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "device/backend.h"
#include "inspect/what_ran.h"
#include "plan/plan.h"
#include "prog/state.h"

namespace fencepost::campaign {

struct Options {
  plan::Shape shape;
  plan::Parameters parameters;
  uint64_t seed = 1;
  // The run ends when one of these is reached; 0: not asked for. With none, one round group is run.
  uint64_t iterations = 0;      // instances
  double seconds = 0;           // of wall time of the round groups
  double unseen_seconds = 0;    // the same while no instance has met the condition; 0: `seconds`
  uint64_t events = 0;          // instances that satisfy the test's condition
  double group_seconds = 0.1;   // a round group's launches are repeated until they took this long ...
  uint32_t most_launches = 32;  // ... but not more often
  uint32_t series_room = 0;     // instances of states of interest that are kept for each launch
  double launch_limit = 10;     // seconds after which a launch counts as hung
  uint64_t memory_words = 0;    // that a launch may use; 0: by device
  bool give_way = false;  // parameters that the test cannot meet here give way (plan/fitted.h), else they are refused
  bool operator==(const Options&) const = default;
};

// Why a forbidden outcome would count against the device.
enum class Evidence : uint8_t {
  as_written,      // the machine code is the test, instruction by instruction
  language_level,  // the test is in the device's own language, and compiler and device are judged together
  none,            // the machine code could not be inspected, or something else ran
};
const char* name(Evidence e);  // "as-written"

// What all round groups of a run share.
struct Setup {
  device::Info device;
  device::Language language = device::Language::code;
  std::string placement;          // plan::placement_name
  std::string tree;               // plan::to_string
  bool merged_subgroups = false;  // the device has none, and the test asks for one
  uint32_t word_bits = 32;        // of the test's locations, in this run
  std::vector<prog::Observable> observables;
  std::string plan_hash;                 // of the three kernels
  std::string binary_kind, binary_hash;  // of the test's module, as the backend gives it
  inspect::WhatRanReport what_ran;
  Evidence evidence = Evidence::none;
};

struct Event {  // one instance of interest
  prog::State state;
  uint32_t launch = 0, round = 0, instance = 0;
  bool operator==(const Event&) const = default;
};

struct RoundGroup {
  uint64_t number = 0, seed = 0;
  std::string parameters;  // plan::to_string(Drawn); plan::set_parameters reads it back
  uint32_t groups = 0, lanes = 0, rounds = 0, launches = 0;
  uint64_t instances = 0;  // of all launches
  std::map<prog::State, uint64_t> states;
  uint64_t corrupt = 0, incomplete = 0, filtered = 0;
  uint64_t waits = 0, time_outs = 0;  // of the alignment
  double seconds = 0;                 // wall time with everything: initialising, launching, classifying, reading
  double device_seconds = 0;          // of the launches of `test` alone
  std::vector<Event> series;
  uint64_t series_lost = 0;
  bool operator==(const RoundGroup&) const = default;
};

struct Totals {
  std::map<prog::State, uint64_t> states;
  uint64_t groups = 0, launches = 0, instances = 0, corrupt = 0, incomplete = 0, filtered = 0, waits = 0, time_outs = 0;
  double seconds = 0, device_seconds = 0;
  void add(const RoundGroup& g);
  bool operator==(const Totals&) const = default;
};
// Instances that satisfy the condition of the test.
uint64_t positive(const prog::Test& test, const std::vector<prog::Observable>& observables,
                  const std::map<prog::State, uint64_t>& states);

plan::Target target_of(const device::Info& info, const Options& options);

// A test that is loaded on a device. The backend outlives it.
class Runner {
 public:
  static Expected<Runner> make(const prog::Test& test, const Options& options, device::Backend& backend);
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;
  ~Runner();
  const Setup& setup() const;
  // An error is the end of the backend (a launch that hung or was lost), or a parameter that cannot be met.
  Expected<RoundGroup> run_group(uint64_t number);

  // Other parameters, and another seed, for the groups to come; the loaded module stays.
  void set(const plan::Parameters& parameters, uint64_t seed);
  const plan::Parameters& parameters() const;  // as they were met
  const plan::Target& target() const;

 private:
  struct Impl;
  explicit Runner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What is wrong with a round group that was to be number `expected`: another number or seed, counts that do not add up,
// more time-outs than waits. "" where nothing is.
std::string fault_of(const RoundGroup& g, const Options& options, uint64_t expected);

// Round groups first, first + 1, ... until the options or the job say stop; `on_group` may stop too by returning false.
Expected<Totals> run_groups(Runner& runner, const prog::Test& test, const Options& options, Job& job, uint64_t first,
                            const std::function<bool(const RoundGroup&)>& on_group);

// The device "reference": kernels on the sequential executor (code/execute.h). Slow; shows interleavings only.
std::unique_ptr<device::Backend> open_reference(uint64_t seed);
// Its id, or one of several of it.
bool is_reference(std::string_view id);
// "reference" (or several of it, "reference+reference"), or what device::open knows. "reference:hang" and
// "reference:die" hang or die at their fifth launch: to see what becomes of the rest.
Expected<std::unique_ptr<device::Backend>> open_device(const std::string& id, uint64_t seed);

}  // namespace fencepost::campaign
