#pragma once
// A test with asynchronous PTX (docs/ptx9.md) as one kernel that runs many instances of it, and as a program that
// launches it and prints the histogram of final states. plan.h packs instances of a test into all lanes of a launch;
// that cannot be done where barriers of clusters count every thread, and where shared memory and mbarrier objects
// belong to a CTA. Here an instance has CTAs, or clusters of CTAs, of its own.
//
//   entry test(memory, aliases, values, out, sync, scratch, settings, opaque)
//     memory   records of all instances, with their initial values: objects in global memory
//     aliases  another mapping of the same memory, for tests with `aliases`; else the same address
//     values   32 words: the number v in all 16 bytes at 16 v, which tensor maps point to
//     out      records of all instances: what each thread and each object in shared memory ended with
//     sync     128 bytes of 0 for each instance, where its threads meet before they begin
//     scratch  k_scratch_bytes for the CTAs that only make traffic
//     settings instances, most cycles of the delay before a thread begins, seed, rounds of traffic, 1: locations are
//              read once before the test begins (32 bits each), a 0, then nanoseconds after which loops end (64 bits)
//     opaque   zeros
//
// A launch has (instances + clusters of traffic) x clusters x ranks CTAs. Each CTA initialises its own shared memory
// and mbarriers; a proxy fence and a barrier of the cluster follow; then the threads of the instance meet, wait, and
// run the test. At the end each waits for its own groups, sleeps a little for what mbarriers track, and the values of
// shared memory are copied out behind another barrier.
//
// Refused by name: what ptx9_layout.h and the printer of instructions refuse. The text is for the least architecture
// and PTX version that have the test's instructions.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "emit/kernel_ptx.h"
#include "prog/state.h"

namespace fencepost::async {

inline constexpr uint32_t k_ptx9_scratch_bytes = 1 << 20, k_ptx9_sync_bytes = 128, k_ptx9_values = 16;

struct Ptx9Module {
  std::string text;
  uint32_t version = 80, sm = 90;            // of the text: PTX version * 10; target sm_<sm>a
  uint32_t lanes = 32;                       // of a CTA
  uint32_t clusters = 1, ranks = 1;          // of one instance; CTAs of a cluster
  uint32_t memory_bytes = 0, out_bytes = 0;  // of one instance
  uint32_t opaque_bytes = 0;
  std::vector<uint64_t> memory;  // of one instance, initially
  std::vector<uint32_t> map_at;  // bytes in it where a tensor map stands, whose value is in `memory`
  bool aliases = false;          // global memory is mapped twice
  std::string no_program;        // what a program cannot set up: "'mm(x)' is a multimem address of several GPUs"; or ""
  struct Where {
    bool in_memory = false;  // else in `out`
    uint32_t at = 0;         // byte in the record
  };
  std::vector<prog::Observable> observables;
  std::vector<std::string>
      untold;                // what of the test's has no value that a program can tell: "m is an mbarrier object"
  std::vector<Where> where;  // parallel to these
  std::vector<uint32_t> status_at;   // bytes of `out`, by thread: 1 when it ended, 3 when a loop met its limit
  std::vector<emit::PtxSite> sites;  // of the instructions of the test, in the order of the text
};

// Whether a test needs this rather than plan.h: instructions or places that only ptx-9 has.
bool is_ptx9(const prog::Test& test);

// `sm`: compute capability * 10 of the device that is to run it; 0: the least that has the instructions.
Expected<Ptx9Module> ptx9_module(const prog::Test& test, uint32_t sm = 0);

// The 32 bytes of `settings`.
struct Ptx9Settings {
  uint32_t instances = 0, delay = 0, seed = 0, traffic = 0, touch = 0;
  uint64_t limit_ns = 5000000;
  std::vector<uint32_t> words() const;
};
// CTAs of a launch: those of its instances, and at least `traffic` others in whole instances.
uint32_t ptx9_groups(const Ptx9Module& m, uint32_t instances, uint32_t traffic);

}  // namespace fencepost::async
