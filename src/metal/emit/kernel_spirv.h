#pragma once
// code::Kernel -> SPIR-V 1.5 for the Vulkan memory model, as assembly and as words. Each kernel is an entry point of
// one module. Instructions of VULKAN tests are the instructions of SPIR-V that their modifiers name, one for one:
//
//   ld, st (.nonpriv, .vis, .av, SCOPE)   OpLoad, OpStore [NonPrivatePointer [| MakePointerVisible / Available SCOPE]]
//   ld.atom, st.atom, rmw.atom            OpAtomicLoad, OpAtomicStore, OpAtomicExchange, IAdd, ISub, And, Or, Xor, ...
//   membar                                OpMemoryBarrier
//   cbar                                  OpControlBarrier Workgroup, with its memory scope and order
//   .acq .rel .acq_rel .semscN .semav .semvis   memory semantics Acquire, Release, AcquireRelease, UniformMemory (0),
//                                         WorkgroupMemory (1), ImageMemory (2), OutputMemory (3), MakeAvailable,
//                                         MakeVisible
//   .sg .wg .qf .dv                       scopes Subgroup, Workgroup, QueueFamily, Device
//   .sc0, .sc1                            a word of a storage buffer, of the workgroup's memory; the place must be
//                                         there
//
// Refused by name: instructions of other dialects, sc2 and sc3 (images, outputs), avdevice and visdevice (operations
// of the host), and operations that SPIR-V has no atomic for. A compare-exchange that writes only on success is
// OpAtomicCompareExchange, with the failure that the test says, else one that acquires where the success does.
//
// The frame: plain accesses are NonPrivatePointer, relaxed ones atomics with semantics None; barriers are
// AcquireRelease over both storage classes with MakeAvailable and MakeVisible; `fence` is OpMemoryBarrier
// AcquireRelease at Device scope (Vulkan has no stronger one). No clock (0), no pause.
//
// Interface: buffer k is a runtime array of 32-bit words, set 0, binding k. The size of a workgroup in its first
// dimension is specialisation constant 0. 64-bit places make a second variable of 64-bit words at the same binding,
// both decorated Aliased; 64-bit atomics need Int64Atomics. No optimiser is run: what is printed is what the driver
// gets (law 2 of kernel.h; drivers compile it further).
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

struct SpirvText {
  std::string assembly;
  std::string words;  // little-endian; checked by spirv-val for Vulkan 1.2
  bool int64 = false, int64_atomics = false, device_scope = false;  // features it asks for
};

Expected<SpirvText> kernel_spirv(const std::vector<code::Kernel>& kernels);

// Assembly -> words, and the validator's complaint ("": none). An internal check: what we print is valid.
Expected<std::string> assemble_spirv(const std::string& assembly);
std::string spirv_fault(const std::string& words);

}  // namespace fencepost::emit
