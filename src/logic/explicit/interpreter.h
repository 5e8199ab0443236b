#pragma once
// One thread at a time on one memory; shared by the exploration and by the play-back of its schedules.
#include <functional>
#include <vector>

#include "prog/test.h"
#include "reference/execution.h"

namespace fencepost::explicit_state {

struct ThreadState {
  uint32_t position = 0;
  std::vector<uint64_t> registers;
  auto operator<=>(const ThreadState&) const = default;
};

using Memory = std::vector<std::vector<uint64_t>>;  // by object and cell

struct Access {
  uint32_t position = 0;
  uint32_t part = 0;  // 1: the write of an rmw
  bool write = false;
  prog::ObjectId object = 0;
  uint64_t cell = 0;
  uint64_t value = 0;
};

class Interpreter {
 public:
  explicit Interpreter(const prog::Test& test);
  ThreadState start(uint32_t thread) const;
  Memory memory() const;
  bool ended(uint32_t thread, const ThreadState& s) const { return s.position >= test_.instrs(thread).size(); }
  // One instruction. False: it addresses no cell. Every access and every fence (part 2) is shown to `see`, if given.
  bool instruction(uint32_t thread, ThreadState& s, Memory& m, const std::function<void(const Access&)>* see) const;
  // One step as states.h defines it; returns the number of instructions, 0 when one does not fit. Dead registers become
  // 0.
  uint64_t step(uint32_t thread, ThreadState& s, Memory& m) const;

 private:
  const prog::Test& test_;
  std::vector<std::vector<std::vector<bool>>> live_;  // thread, position, register
};

}  // namespace fencepost::explicit_state
