#pragma once
// Kernels compiled for the CPU: three-address instructions over 64-bit registers, executed by cpu/machine.cpp.
// Structured statements become jumps, expressions register code; constants sit in registers that are filled once.
//
// Registers hold values zero-extended to 64 bits: the four builtins, then the kernel's variables, then temporaries,
// then constants.
//
// What a test's instruction becomes. Every mapping gives at least the order that the dialect promises, because x86 is
// TSO (only a later load may overtake an earlier store, of another address, in the store buffer); no instruction is
// merged, dropped or moved by a compiler, for each is one inline assembly statement that clobbers memory.
//
//   instruction of the test                                  x86-64                  elsewhere (C++ atomics)
//   load: weak, relaxed, volatile, plain                     mov                     relaxed
//   load: acquire                                            mov                     acquire
//   load: seq_cst (OPENCL)                                   mov                     seq_cst
//   store: weak, relaxed, volatile, plain                    mov                     relaxed
//   store: release                                           mov                     release
//   store: seq_cst (OPENCL)                                  xchg                    seq_cst
//   rmw: exchange                                            xchg                    seq_cst exchange
//   rmw: old + e                                             lock xadd               seq_cst fetch_add
//   rmw: if old = e then f                                   lock cmpxchg            seq_cst compare_exchange
//   rmw: anything else                                       mov, lock cmpxchg, until it holds; when it does not
//                                                            write, it writes back what it read
//   fence: sc, seq_cst; membar of GPU_PTX; fence.proxy       mfence                  seq_cst fence
//   fence: acq_rel, acquire, release; membar of VULKAN       nothing (compiler only) acq_rel fence
//   avdevice, visdevice                                      nothing (one coherent memory)
//   control barrier of all invocations of a workgroup        a counter with lock cmpxchg, and waiting
// Barriers with an id, a quorum or without waiting are not supported on the CPU.
//
// `listing` names for every test instruction what it became, so that a log can show what ran.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::device::cpu {

// clang-format off
#define FENCEPOST_CPU_CODES(X)                                                                                    \
  /* values */                                                                                                    \
  X(mov) X(low32) X(low1)                                                                                         \
  X(add32) X(sub32) X(mul32) X(and_) X(or_) X(xor_) X(shl32) X(lshr32) X(umin) X(umax) X(udiv32) X(urem32)        \
  X(add64) X(sub64) X(mul64) X(shl64) X(lshr64)                                                                   \
  X(eq) X(ne) X(ult) X(ule) X(slt32) X(sle32) X(slt64) X(sle64)                                                   \
  X(choose) X(any)                                                                                                \
  /* flow */                                                                                                      \
  X(jump) X(back) X(jump_if) X(jump_unless) X(jump_eq) X(jump_ne) X(jump_ult) X(jump_ule) X(end)                  \
  /* memory of the frame */                                                                                       \
  X(load32) X(load64) X(store32) X(store64)                                                                       \
  X(rload32) X(rload64) X(rstore32) X(rstore64)                                                                   \
  X(add_at32) X(add_at64) X(xchg_at32) X(xchg_at64) X(cas_at32) X(cas_at64)                                       \
  X(or_at32) X(or_at64) X(max_at32) X(max_at64)                                                                   \
  /* the test's own */                                                                                            \
  X(t_load32) X(t_load64) X(t_load_acq32) X(t_load_acq64) X(t_load_sc32) X(t_load_sc64)                           \
  X(t_store32) X(t_store64) X(t_store_rel32) X(t_store_rel64) X(t_store_sc32) X(t_store_sc64)                     \
  X(t_xchg32) X(t_xchg64) X(t_xadd32) X(t_xadd64) X(t_cas32) X(t_cas64)                                           \
  X(t_fence_sc) X(t_fence_acq_rel)                                                                                \
  /* others */                                                                                                    \
  X(fence) X(barrier) X(clock) X(pause)
// clang-format on

enum class Code : uint16_t {
#define X(c) c,
  FENCEPOST_CPU_CODES(X)
#undef X
      count_
};
const char* name(Code c);

// Memory: dst (loads, atomics: old value) or value (stores), a: index, b: slot; atomics and t_*: value in imm's low
// half, compare in its high half. choose: dst := a != 0 ? b : imm. any: dst := term::eval_op over a, b; imm holds
// operator | operand width << 8 | result width << 16. Jumps: target in imm.
struct Ins {
  Code code = Code::end;
  uint16_t dst = 0, a = 0, b = 0;
  uint64_t imm = 0;
};

inline constexpr uint16_t k_builtin_registers = 4;  // in the order of code::Builtin

struct Program {
  std::string name;
  std::vector<Ins> code;
  uint32_t registers = 0;  // of an invocation
  std::vector<std::pair<uint16_t, uint64_t>> constants;
  std::vector<std::string> slots;  // names of buffers; one more for shared memory
  uint32_t shared_words = 0;
  uint32_t group_limit = 0;
};

// Fails for test instructions that the CPU has no instruction for, at their place.
Expected<Program> compile(const code::Kernel& kernel);

// One line per instruction, with what the test's instructions became; for logs.
std::string listing(const Program& program);

}  // namespace fencepost::device::cpu
