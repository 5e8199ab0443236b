#pragma once
// A progress test as the kernel of a launch, on any device that runs kernels.
//
// Every launched invocation reads its role from a table that the host fills from export/mapping.h (so one kernel serves
// every mapping), and runs that thread as "while (pc != end) switch (pc)", one relaxed atomic at device scope for each
// instruction: stores are exchanges, compare-and-swaps are strong, loads additions of 0 or (Loads::load) loads. With
// Order::acq_rel or seq_cst a fence of that strength stands before and after each. An invocation that ends adds 1 to
// a counter and writes how it ended.
//
// Watchdog (unless it is left out: then a kernel whose threads starve never ends). Before its first step and then every
// k_look steps an invocation reads a flag that all share, the device's clock and its number of steps. When the flag is
// up, or the limit on time (since the invocation began) or on steps is over, it raises the flag, writes where it stood
// and ends. So the kernel always ends on a device that runs every invocation at least when others have ended, however
// its threads starve each other.
//
// Laws. fault_of(kernel) == "". The kernel writes what mapping.h says and nothing of another instance's. Adding 0
// (contention) changes no location.
//
// Words of `ends`, one for each invocation: low 8 bits how it ended (End), the others its pc. The host fills them with
// k_sentinel first: a word that still has it was never written.
#include <cstdint>
#include <vector>

#include "axb/test.h"
#include "code/kernel.h"
#include "export/export.h"

namespace fencepost::trial {

enum class Buffer : uint8_t { parameters, roles, memory, sync, ends, count_ };
enum class Parameter : uint8_t { limit_low, limit_high, steps, instances, padding, contention, count_ };
enum class End : uint8_t {
  ended = 1,  // ran off its code
  waiting,    // had begun, and the watchdog ended it
  unstarted,  // began only after the watchdog's flag was up
  no_role,    // takes no part
};

inline constexpr uint32_t k_look = 16;
inline constexpr uint32_t k_sentinel = 0x5eed5eedu;
inline constexpr uint32_t k_no_thread = 0xffffffffu;             // role table: thread of an invocation without a role
inline constexpr uint32_t k_role_words = 2;                      // thread, instance
inline constexpr uint32_t k_sync_flag = 0, k_sync_counter = 32;  // words of `sync`, on cache lines of their own
inline constexpr uint32_t k_sync_words = 64;
inline constexpr uint32_t k_most_steps = 0xfffffff0u;

struct KernelOptions {
  exports::Order order = exports::Order::relaxed;
  exports::Loads loads = exports::Loads::add;
  bool watchdog = true;
};

// The kernel "progress"; its buffers in the order of Buffer. `test` is valid.
code::Kernel make_kernel(const axb::Test& test, const KernelOptions& options);

// What the role table holds: every `spread`-th launched invocation is one of the layout, the others have no role.
std::vector<uint32_t> role_table(const exports::Layout& layout, uint32_t spread = 1);

// Where a location of an instance lies in `memory`.
inline uint64_t word_of(uint32_t location, uint32_t instance, uint32_t instances, uint32_t padding) {
  return (uint64_t{location} * instances + instance) * padding;
}

}  // namespace fencepost::trial
