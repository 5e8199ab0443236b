#pragma once
// Instructions of the Vulkan memory model (Vulkan specification, appendix "Memory Model"), shared by the VULKAN
// litmus dialect and the KhronosGroup `.test` notation, which spell the same things differently.
// Modifiers may stand in any order; the mnemonic that is kept has them in the order of docs/litmus.md.
//
//   event tags: R W F RMW, ATOM, NONPRIV, AV VIS, SEMAV SEMVIS, ACQ REL (acq_rel is both), SC0..SC3,
//   SEMSC0..SEMSC3, SG WG QF DV, CBAR, AVDEVICE VISDEVICE
//   atom implies NONPRIV and AV (of its write), VIS (of its read); av, vis imply NONPRIV.
//   rmw: ACQ, SEMVIS and, if it acquires, the SEMSC tags go to the read; REL, SEMAV and, if it releases, the
//   SEMSC tags to the write. A control barrier is CBAR and B with its scope; without an order it is no
//   fence (no F).
#include "litmus/asm_builder.h"

namespace fencepost::litmus {

enum class VulkanSpelling : uint8_t {
  litmus,   // scopes sg wg qf dv, order acq_rel, "rmw.atom", operations on rmw
  khronos,  // scopes scopesg scopewg scopeqf scopedev, order acq.rel, "rmw" or any of ld.st.atom
};

struct VulkanOp {
  enum class Kind : uint8_t { none, load, store, rmw, fence, barrier } kind = Kind::none;
  std::string mnemonic;
  prog::TagSet tags, store_tags;
  bool exchange = true;  // rmw without an operation
  term::Op op = term::Op::add;
  uint32_t scope_level = 0;  // of the scope tag, where there is one
};

// kind none: the head is no Vulkan memory instruction. Throws for modifiers that do not fit.
VulkanOp parse_vulkan_op(const Cursor& c, const Mnemonic& m, VulkanSpelling spelling);
const std::vector<std::string>& vulkan_mnemonics();

}  // namespace fencepost::litmus
