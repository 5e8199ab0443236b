#pragma once
// code::Kernel -> PTX text of one module, and the table that tells where each instruction of the test stands in it.
//
// Instructions of the test are printed as their mnemonic says, with the state space of the place and its width added:
// "ld.acquire.gpu" of a buffer's word becomes ld.acquire.gpu.global.b32. What PTX or this printer lacks (texture and
// surface accesses, instructions of other dialects, elements of 8 and 16 bits) is refused by name. The frame's own
// accesses are ld/st.weak (Order::plain) and .relaxed.cta / .relaxed.gpu.
//
// What keeps an assembler from improving the test away (each seen with ptxas 13.0; see ptx_gate.h):
//   * Addresses. Two relaxed stores to one address become one. Every instruction of the test therefore adds its own
//     parameter, 0 in every launch, to its address, so that no two are known to be equal or different. Atomic
//     operations add it masked by the lane: one whose address is the same for all lanes becomes one operation for the
//     warp.
//   * Values. A load whose register nobody reads is deleted, whatever its order. Registers that no term of the kernel
//     mentions are folded into a sink that is stored at an address that no launch gives.
//   * Dependencies. See ptx_code.h.
//   * Loops are not unrolled (.pragma "nounroll" at their heads: ptxas 13.0 overlooks the one of the whole entry).
//
// Parameters of the entry, in order: one 64-bit address for each buffer, then `opaque`, opaque_bytes(kernel) bytes
// that the launch must set to 0. Every address is in global memory.
//
// Line numbers. `.loc` gives every instruction of the test a line of its own (k_first_site + its number), and every
// relaxed access of the frame too (k_first_frame_site + its number); all else has line k_frame_line. An assembler asked
// for line information (-lineinfo) keeps them, so the gate finds the machine code of each instruction without any
// marker that would disturb the test.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

inline constexpr uint32_t k_frame_line = 1, k_first_site = 1000, k_first_frame_site = 100000;

struct PtxOptions {
  uint32_t sm = 90;               // compute capability * 10
  bool runtime_addresses = true;  // false: the plain address, for tests of the assembler itself
  // Code for architectures before Volta, whose warps have one program counter: the assembler then puts no YIELD into
  // loops, and lanes that wait keep the warp. Only the frame's statements have such a form; `test` ones are refused.
  bool lock_step = false;
};

// One place of the text where an instruction of the test stands.
struct PtxSite {
  uint32_t operation = 0;           // index into Kernel::operations
  uint32_t role = 0, position = 0;  // of the operation
  uint32_t line = 0;                // of its .loc
  uint32_t segment = 0;             // equal numbers: nothing but straight code between them
  uint32_t loops = 0;               // that it stands in
  std::string instruction;          // "st.relaxed.gpu.global.b32"
  std::string place;                // its address as text, "" for fences; equal texts are equal addresses
};

struct PtxText {
  std::string kernel;  // name of the entry
  std::string text;
  std::vector<PtxSite> sites;  // in the order of the text
  std::vector<PtxSite> frame;  // relaxed accesses of the frame (stress, alignment), likewise
};

// Whether the text has every instruction of the kernel's test statements, in their order, each on its line, and every
// relaxed access of the frame. "" or the first that is missing: what the gate compares with must itself be whole.
std::string fault_of(const PtxText& text, const code::Kernel& kernel);

uint32_t opaque_bytes(const code::Kernel& kernel);
// One module of several kernels, whose names differ.
Expected<std::string> kernels_ptx(const std::vector<code::Kernel>& kernels, const PtxOptions& options = {});
Expected<PtxText> kernel_ptx(const code::Kernel& kernel, const PtxOptions& options = {});

}  // namespace fencepost::emit
