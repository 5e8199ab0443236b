#pragma once
// A litmus test made ready for devices: kernels that run many instances of it and count what they saw, and the numbers
// that one launch of them needs. Free of devices: a Program is a value that printers print and backends run.
//
//   Test --make_program--> Program { initialise, test, classify } --draw--> Configuration { parameter words, launch }
//
// One launch of `test` plays `rounds` rounds of `map.instances()` instances; every instance of every round has memory
// and result words of its own. `initialise` (a launch before) gives memory its initial values, results a sentinel,
// counters 0; `classify` (a launch after) turns each instance into a state number and counts it. So for one
// Configuration:
//
//   counts[0, states)   instances that ended in that state
//   counts[corrupt]     undecodable results: the run has failed
//   counts[incomplete]  instances whose loops met the limit; sum of all counts = instances x rounds, always
//   sync[k_sync_*]      waits, time-outs
//   series              up to its room, {state, round, instance} of interesting states
//
// State number: mixed radix over the observables, last fastest; digit = index of the value in `digits` (values.h). At
// most k_most_states, else refused by name.
//
// Several devices (Program::several). The same `test` is launched on each that has threads, at the same time; the map
// is over all of them, and a role is played on its device alone. Each location is in a buffer of its own, which is
// memory of the home that was drawn for it. Each launch has parameters, results, sync and scratch in its own memory;
// `initialise` and `classify` run on place 0 alone, and the host clears the other sync buffers. Alignment: the
// workgroups of a device count themselves with atomics in its own memory; the one that completes a batch writes the
// batch's number to the device's word of every device's sync buffer, and all wait until their own buffer has it of all
// devices. Each of these words has one writer, and no read-modify-write leaves a device. A host
// can write to no device's memory: where a test has threads on it there is one more sync buffer, in memory of the host,
// in which each place has its word and all look. What the test's own
// read-modify-writes need of a memory is asked (Target::access), and a test that cannot have it is refused.
//
// One Program serves every Configuration: parameters come through a buffer. Only `mode` warp, clusters, shared memory
// regions and, through them, the device's shared memory change the code. Soundness of counting: only the test's own
// operations touch memory words during `test`; all other accesses are to other words, relaxed if anyone else may touch
// them, so they and the alignment add order but never behaviour, and what was observed is an execution of the small
// test.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/kernel.h"
#include "plan/map.h"
#include "plan/parameters.h"
#include "plan/values.h"
#include "prog/state.h"

namespace fencepost::plan {

// What a device may do with memory of a home: nothing, loads and stores, or atomic read-modify-writes too.
enum class Access : uint8_t { none, plain, atomic };

// What a plan must know of a device.
struct Target {
  uint32_t units = 1;  // compute units
  uint32_t subgroup = 1;
  uint32_t max_lanes = 1;
  uint32_t usual_lanes = 1024;  // most that are drawn where nobody asks for a number
  uint32_t max_groups = 65535;
  uint32_t shared_words = 0;  // of one workgroup
  uint32_t line_words = 16;
  // Workgroups that are on the device at the same time for certain, by their invocations, ascending: {256, 528} says
  // that 528 workgroups of up to 256 fit. Empty: not known.
  std::vector<std::pair<uint32_t, uint32_t>> resident;
  uint32_t loop_budget = 0;     // iterations of all loops of an invocation that the device can be trusted with; 0: any
  uint32_t align_limit = 4096;  // polls of a wait where nobody asks for a number
  uint32_t max_cluster = 1;     // workgroups of a cluster; 1: none
  bool groups_together = true;  // false: workgroups may run one after another
  uint64_t memory_words = uint64_t{1} << 24;  // that a plan may use in all
  // Several devices (device/several.h): what each may do with the memory of each, [place][home]. The last home is the
  // host's. Empty: one device.
  std::vector<std::vector<Access>> access;
  bool host = false;  // the last place is the host
  bool several() const { return !access.empty(); }
  uint32_t devices() const { return access.empty() ? 1 : static_cast<uint32_t>(access.size()); }
  bool wide_atomics = true;  // 64-bit atomics; false: tests that need 64-bit words are refused
};

enum class Mode : uint8_t {
  parallel,  // as many instances as fit
  warp,      // an instance for each subgroup; other lanes run the role on dummy addresses
  single,    // one instance
};
const char* name(Mode m);

// `as_written`: objects whose declaration says so are in shared memory. `shared`, `global`: all are. `mixed_odd`,
// `mixed_even`: every second one is, of those whose threads share a workgroup (the others are in global memory).
enum class Region : uint8_t { as_written, shared, global, mixed_odd, mixed_even };
inline constexpr Region k_regions[] = {Region::as_written, Region::shared, Region::global, Region::mixed_odd,
                                       Region::mixed_even};
const char* name(Region r);

struct Shape {
  Mode mode = Mode::parallel;
  Region region = Region::as_written;
  // Launches may have clusters though the test names none (the parameter `cluster`): a placement of its workgroups,
  // each of which then has a cluster that no other of its instance is in. Tests that name clusters always have them.
  bool clusters = false;
  bool operator==(const Shape&) const = default;
};

enum class BufferUse : uint8_t { parameters, memory, out, counts, sync, scratch, series, interest };
inline constexpr size_t k_buffer_uses = 8;
const char* name(BufferUse u);

enum class Phase : uint8_t { initialise, test, classify };

// `shape` with clusters where the parameters ask for any.
Shape with_clusters(Shape shape, const Parameters& parameters);

struct Slot {  // what a role reports of one instance
  enum class Kind : uint8_t { value, status, sink } kind = Kind::value;
  uint32_t thread = 0;
  prog::RegId reg = 0;  // value
  uint32_t words = 1;
  uint32_t at = 0;  // word of the slot in a record; in the buffer: at * instances * rounds + number * words
};

inline constexpr uint32_t k_most_states = 65536;     // counts that the host reads after each launch
inline constexpr uint32_t k_sentinel = 0xA5C35A3Cu;  // what a result word holds before a role writes it
inline constexpr uint32_t k_sync_stride = 64;        // words; counters do not share lines
enum : uint32_t { k_sync_ticket, k_sync_arrived, k_sync_timeouts, k_sync_waits, k_sync_done, k_sync_words };
// On several devices, behind those: for each device the number of the batch that all of its workgroups have come to.
inline constexpr uint32_t k_sync_flags = k_sync_words;
inline constexpr uint32_t k_own = 0xffffffffu;
inline constexpr uint32_t k_meeting = 0xfffffffeu;  // of sync: the one that devices and host share
inline constexpr uint32_t k_series_header = 1, k_series_words = 3;

struct Program {
  prog::Test test;
  Shape shape;
  Tree tree;
  Values values;
  bool narrow = false;
  bool loops = false;                          // roles with loops: always split
  bool barriers = false;                       // roles with barriers
  bool clusters = false;                       // launches have clusters, and the kernel reads them
  std::vector<bool> shared;                    // by object
  std::array<code::Kernel, 3> kernels;         // by Phase
  std::array<std::vector<BufferUse>, 3> uses;  // buffers of each kernel, in order
  // On several devices, which one of them: memory has one for each object, results and sync one for each device (k_own:
  // that of the launch; k_meeting). Else 0.
  std::array<std::vector<uint32_t>, 3> numbers;
  bool several = false;
  std::map<std::string, uint32_t> parameter_words;  // name -> word of the parameter buffer
  uint32_t parameter_count = 0;
  uint32_t aliases = 0;
  uint32_t operations = 0;  // of all roles: memory instructions
  std::vector<Slot> slots;
  uint32_t record_words = 0;  // of one instance and round
  std::vector<prog::Observable> observables;
  std::vector<std::vector<uint64_t>> digits;  // by observable: its possible values, as a State holds them
  uint32_t states = 1;
  uint32_t shared_words = 0;  // that instances may use

  uint32_t corrupt() const { return states; }
  uint32_t incomplete() const { return states + 1; }
  uint32_t count_words() const { return states + 2; }
  prog::State state(uint32_t number) const;
};
// Whether a final state satisfies a condition over its observables.
bool holds(const prog::Test& test, const std::vector<prog::Observable>& observables, const prog::State& s,
           const prog::Cond& c);

Expected<Program> make_program(const prog::Test& test, const Target& target, const Shape& shape);

// One launch's numbers. Deterministic in (program, target, parameters, seed).
struct Configuration {
  uint64_t seed = 0;
  Drawn drawn{};
  Map map;
  uint32_t groups = 1, lanes = 1;  // of the launch: testing, stressing and idle workgroups
  uint32_t cluster = 1;            // workgroups of a cluster; `groups` is a multiple
  uint32_t rounds = 1;
  std::vector<uint32_t> homes;                  // by object, on several devices: whose memory it is in
  std::vector<uint32_t> words;                  // contents of the parameter buffer
  std::array<uint64_t, k_buffer_uses> sizes{};  // words that each buffer must have
  uint64_t instances() const { return map.instances() * rounds; }
};
// The value of the parameter `home` for homes by the names of the test's locations: "x=gpu1,y=host".
Expected<uint32_t> homes_of(const prog::Test& test, std::string_view text);
// `series_room`: entries that the series buffer has. Errors: a parameter that cannot be met, by name.
Expected<Configuration> draw(const Program& program, const Target& target, const Parameters& parameters, uint64_t seed,
                             uint32_t series_room);

}  // namespace fencepost::plan
