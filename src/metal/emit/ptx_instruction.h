#pragma once
// The PTX spelling of one instruction of a test: its mnemonic's words in the order of the PTX grammar, with state space
// and type. PTX ISA 8.2, sections 9.7.9 (ld, st), 9.7.13 (fences, barriers, atom, red).
#include <string>

#include "base/diagnostic.h"
#include "code/kernel.h"
#include "term/term.h"

namespace fencepost::emit {

struct PtxInstruction {
  std::string text;              // "atom.relaxed.gpu.global.add.u32", "fence.sc.gpu", "barrier.sync"
  std::string head;              // ld st atom red fence membar barrier
  std::string operation;         // atom, red: add exch cas and or xor min max inc dec; sub is add of the negative
  term::Expr operand, expected;  // atom, red, st: what is added, stored, put; cas: and what must be there
  uint32_t version = 0;          // least PTX version * 10 that has it
};

Expected<PtxInstruction> ptx_instruction(const code::Operation& op);

}  // namespace fencepost::emit
