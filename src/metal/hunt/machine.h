#pragma once
// The machine code of one kernel as the gate of the hunt reads it: NVIDIA's disassembler says what an instruction is,
// the binary says which line it has and for which scoreboards it waits (inspect/cubin.h), and the targets of branches
// make the paths.
//
// Record: one line for an instruction, which is kept in reports and in tests, and read back:
//   ADDRESS LINE SETS WAITS LABEL? | TEXT      0130 11 0 01 .L_x_3: | @!P0 LDS.64 R4, [UR5+0x20]
// SETS is the scoreboard that counts its result (0 to 5, "-" for none), WAITS the mask of those that must be empty
// before it begins (hexadecimal). From bits 110-112 and 116-121 of an instruction of Volta or later.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "inspect/cubin.h"

namespace fencepost::hunt {

struct MachineInstruction {
  uint64_t address = 0;
  uint32_t line = 0;
  std::optional<uint32_t> sets;
  uint32_t waits = 0;
  std::string label;   // "" or ".L_x_3"
  std::string guard;   // "", "P0", "!P0"
  std::string opcode;  // "LDG.E.64.STRONG.GPU"
  std::vector<std::string> operands;
  std::vector<size_t> next;  // instructions that may follow

  std::string base() const { return opcode.substr(0, opcode.find('.')); }
  bool has(std::string_view modifier) const;  // one of the parts of the opcode: "64", "STRONG.GPU"
};

struct MachineKernel {
  std::string name;
  uint32_t sm = 0;
  std::vector<MachineInstruction> code;
};

// `listing`: what nvdisasm -c printed for the binary. Errors: a damaged binary; a kernel that only one of the two has;
// an address that they do not share.
Expected<std::vector<MachineKernel>> read_machine(const std::vector<inspect::CubinKernel>& binary,
                                                  const std::string& listing);

std::string record(const MachineKernel& k);
Expected<MachineKernel> read_record(const std::string& name, uint32_t sm, const std::string& text);

}  // namespace fencepost::hunt
