#pragma once
// Executes cpu::Program: the state of one invocation and an interpreter of direct jumps. An invocation can be left at
// any back edge, pause or barrier and taken up again, so that one thread can hold many of them (cpu.h says when).
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/byte_code.h"

namespace fencepost::device::cpu {

struct Slot {
  uint32_t* words = nullptr;
  uint64_t size = 0;
};

// The meeting place of one workgroup's invocations: how many there are, how many have arrived, and which meeting this
// is. Invocations that end no longer count, as on GPUs.
class Meeting {
 public:
  explicit Meeting(uint32_t invocations) : state_(invocations) {}
  // True: the last to arrive, go on. False: wait until `past(ticket)`.
  bool arrive(uint32_t& ticket);
  bool past(uint32_t ticket) const { return generation(state_.load(std::memory_order_seq_cst)) != ticket; }
  void end();  // an invocation of the workgroup has ended

 private:
  static constexpr uint64_t k_field = (uint64_t{1} << 20) - 1;
  static uint32_t expected(uint64_t s) { return s & k_field; }
  static uint32_t arrived(uint64_t s) { return (s >> 20) & k_field; }
  static uint32_t generation(uint64_t s) { return static_cast<uint32_t>(s >> 40); }
  static uint64_t pack(uint64_t expected, uint64_t arrived, uint64_t generation) {
    return expected | arrived << 20 | (generation & 0xffffff) << 40;
  }
  std::atomic<uint64_t> state_;
};

struct Group {
  explicit Group(uint32_t invocations) : meeting(invocations) {}
  Meeting meeting;
  std::vector<Slot> slots;
  std::unique_ptr<uint32_t[]> shared;
};

struct Invocation {
  Group* group = nullptr;
  uint64_t* registers = nullptr;
  uint32_t at = 0;      // instruction to go on with
  uint32_t ticket = 0;  // of the barrier it waits at
  bool waits = false;
};

enum class Stop : uint8_t {
  ended,
  waits,    // at a barrier
  pauses,   // at a pause, or its quantum of back edges is over
  aborted,  // the launch is being given up
  fault,    // an access outside a buffer: `at` is the instruction
};

struct Conditions {
  const std::atomic<bool>* abort = nullptr;
  uint32_t quantum = 1024;  // back edges between looks at `abort`
  bool alone = true;        // the thread's only invocation: pauses and full quanta do not leave the interpreter
};

Stop execute(const Program& program, Invocation& invocation, const Conditions& conditions);

}  // namespace fencepost::device::cpu
