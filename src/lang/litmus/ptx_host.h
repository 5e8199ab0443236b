#pragma once
// Instructions of x86 threads of the host in PTX litmus tests ("P1@host"), in Intel's order of operands:
//
//   mov r0, [x]    mov [x], v         a load, a store                      R, W and ACQ, REL, SYS, GEN, HOST
//   mov r0, v                         no event
//   mfence                            a fence                              F SC SYS GEN HOST
//   xchg [x], r0                      r0 and x change places; locked, as x86 says
//   lock xadd [x], r0                 x += r0, and r0 gets what x was
//   lock OP [x], v                    OP one of add sub and or xor
//
// A locked operation is a read and a write (RMW) between two fences, which have events and no text of their own
// (Instr::hidden). Every access is of 64 bits, as those of PTX tests are. What x86 has besides (cmpxchg, whose compared
// value is in a register that has no name here; lfence and sfence, which order nothing of write-back memory that is not
// ordered already) is refused by name.
#include <string>
#include <vector>

#include "litmus/asm_builder.h"

namespace fencepost::litmus {

// After its mnemonic. Throws for what is no instruction of x86 that is known here.
void parse_host_instruction(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m);
const std::vector<std::string>& host_mnemonics();

}  // namespace fencepost::litmus
