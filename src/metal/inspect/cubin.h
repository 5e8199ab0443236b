#pragma once
// The machine code of a CUDA binary ("cubin", 64-bit ELF, little endian): instructions of each kernel with the source
// line that line information gives them. Reads .text.<kernel>, .debug_line (DWARF 2) and its relocations; everything
// else is skipped. Never trusts an offset: a damaged file is an error, not a fault.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::inspect {

struct SassInstruction {  // 128 bits, Volta and later
  uint64_t address = 0;   // in the kernel
  uint64_t low = 0, high = 0;
  uint32_t line = 0;  // 0: none known
};

struct CubinKernel {
  std::string name;
  uint32_t sm = 0;  // compute capability * 10
  bool has_lines = false;
  std::vector<SassInstruction> code;
};

Expected<std::vector<CubinKernel>> read_cubin(std::string_view bytes);

// A memory access, fence, barrier or cache operation as text; "" for everything else and for what is never executed.
//   LDG.32.WEAK  STG.64.STRONG.GPU  LDG.32.MMIO.SYS  ATOMG.ADD.U32.STRONG.GPU  REDG.MAX.S64.STRONG.SYS  LDS.32  STS.64
//   ATOMS.CAS.32  MEMBAR.SC.GPU  MEMBAR.ALL.CTA  CCTL.IVALL  FENCE.VIEW.ASYNC  BAR.SYNC  ERRBAR
// Encodings found by assembling one instruction at a time for sm_90 and reading the result with NVIDIA's disassembler.
std::string memory_instruction(const SassInstruction& i);

// Where a branch of code for `sm` (80 or later) goes; nothing for other instructions and for targets in registers.
std::optional<uint64_t> branch_target(const SassInstruction& i, uint32_t sm);
// VOTE, REDUX, MATCH: lanes of a warp work together.
bool is_warp_wide(const SassInstruction& i);

}  // namespace fencepost::inspect
