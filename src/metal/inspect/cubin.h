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
//   ATOMS.CAS.32  MEMBAR.SC.GPU  MEMBAR.ALL.CTA  CCTL.IVALL  FENCE.VIEW.ASYNC.S  BAR.SYNC  ERRBAR
//   LDGSTS.64  LDGSTS.BYPASS.128  LDGDEPBAR  DEPBAR.LE.0 (groups that may be pending)  UBLKCP.S.G
//   UBLKCP.G.S.STRONG.SYS  UBLKRED.G.S.ADD.U64  UTMACMDFLUSH  UTMALDG.1D  UTMACCTL.IV  STAS.64  REDAS.ADD.U64
//   USTGR.64.STRONG.SYS  UREDGR.ADD.U64.STRONG.GPU  SYNCS.EXCH.64  SYNCS.CCTL.IV  SYNCS.ARRIVE.TRANS64.RED.A1T0
//   SYNCS.PHASECHK.TRANS64.TRYWAIT  ARRIVES.LDGSTSBAR.64.TRANSCNT  UCGABAR_ARV  UCGABAR_WAIT
// A bit of an asynchronous instruction that was not seen there makes it another text ("UBLKCP.S.G.MULTICAST").
// Encodings found by assembling one instruction at a time for sm_90 and reading the result with NVIDIA's disassembler.
std::string memory_instruction(const SassInstruction& i);

// Where a branch of code for `sm` (80 or later) goes; nothing for other instructions and for targets in registers.
std::optional<uint64_t> branch_target(const SassInstruction& i, uint32_t sm);
// Whether such a branch, once its guard holds, asks nothing more (a second predicate, lanes that are not together).
bool branches_always(const SassInstruction& i);
// VOTE, REDUX, MATCH: lanes of a warp work together.
bool is_warp_wide(const SassInstruction& i);
// WARPSYNC: lanes of a warp wait for each other. BRA.DIV: taken by lanes that are not together.
bool is_warp_sync(const SassInstruction& i);
bool is_branch_of_divergent(const SassInstruction& i);

// The scoreboard that a result raises when it is there (7: none), and those that an instruction waits for, as a mask.
uint32_t result_scoreboard(const SassInstruction& i);
uint32_t awaited_scoreboards(const SassInstruction& i);

}  // namespace fencepost::inspect
