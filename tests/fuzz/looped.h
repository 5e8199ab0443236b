#pragma once
// Random programs with loops for the fuzzing of liveness: threads of loads, exchanges and stores on one or two
// locations, each followed by a jump when the value read is the one compared with. As text, like all programs of the
// fuzzing.
#include <string>

#include "axb/test.h"
#include "base/job.h"
#include "prog/test.h"

namespace fencepost::fuzz {

struct LoopedShape {
  uint32_t threads = 2;
  uint32_t instructions = 4;  // at most, over all threads; each thread has one at least
  uint32_t locations = 1;
};

// Each instruction as axb has it (axb/test.h).
axb::Test random_looped(Rng& rng, const LoopedShape& shape);

// The program as a litmus test. `plain`: every access relaxed, in scope of all; else accesses have random orders and
// scopes, threads random places, some accesses are not atomic, and there are fences and barriers.
enum class Machine : uint8_t { vulkan, ptx, opencl };  // opencl: random_opencl only
std::string litmus_of(const axb::Test& test, Machine machine);
std::string litmus_of(const axb::Test& test, Machine machine, Rng& rng);

// OpenCL has no jumps: threads of stores, conditional stores, fences, barriers, and spins by load or by exchange.
std::string random_opencl(Rng& rng);

// Copies of a thread that tries to take a lock until it has it, with an exchange or (PTX) a compare-and-swap, of random
// orders and scopes, and does something to a plain location before it gives the lock back, or does not. PTX and OPENCL.
std::string random_lock(Rng& rng, Machine machine);

// The test of such a text. Where it cannot be read the generator is at fault: the process prints why and the text, and
// ends with status 2.
prog::Test looped_test(const std::string& text);

}  // namespace fencepost::fuzz
