#pragma once
// Instructions of PTX since 8.0 in litmus tests: asynchronous copies, stores and reductions, mbarriers, fences of one
// direction and of proxies, barriers of clusters and warps, vectors (PTX ISA 9.4, 9.7.10.12 to 9.7.10.28, 9.7.15).
// ptx_forms.cpp lists them in the ISA's own notation; docs/litmus.md says what a test looks like.
//
// An instruction of several events becomes several prog::Instr with one number (prog::Instr::operation). Those of an
// asynchronous operation have the tag ASY; the model takes them out of program order. An operation that the ISA leaves
// undefined in some state has an event UB, which is executed in that state.
#include "litmus/asm_builder.h"

namespace fencepost::litmus {

// Reads the instruction if `m` begins one of these; false: it is none of them. Throws as all readers do.
bool parse_ptx_async(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m);
// An ordinary access to an mbarrier object is undefined while the object is valid (9.7.15.16): the event that says so.
void guard_mbarrier(AsmBuilder& b, ThreadBuilder& t, const prog::Instr& access);
// What can be said once all threads are read: which accesses are to shared memory, and who reaches it; barriers of
// clusters; groups in loops. Of tests without these instructions it changes nothing.
void finish_ptx(AsmBuilder& b);
// First words of the instructions, for suggestions.
const std::vector<std::string>& ptx_async_mnemonics();

}  // namespace fencepost::litmus
