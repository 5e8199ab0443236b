#include "emit/kernel_spirv.h"

#include <gtest/gtest.h>

#include "instructions.h"

using namespace fencepost;
using namespace fencepost::emit;

namespace {

std::string printed(const std::string& litmus) {
  const auto text = kernel_spirv({emit_test::instructions_of(litmus)});
  return text ? text->assembly : render(text.error());
}

}  // namespace

TEST(KernelSpirv, InstructionsAreThoseOfTheTest) {
  const std::string s = printed(R"(VULKAN all
{ x = 0; y = 0; }
 P0@sg 0,wg 0,qf 0 ;
 st.sc0 x, 1 ;
 st.nonpriv.sc0 x, 1 ;
 st.av.wg.sc0 x, 1 ;
 ld.vis.dv.sc0 r0, y ;
 st.atom.rel.dv.sc0.semsc0.semav x, 1 ;
 ld.atom.acq.qf.sc0.semsc0.semsc1.semvis r1, y ;
 rmw.atom.acq_rel.dv.sc0.semsc0 r2, x, 7 ;
 rmw.atom.sg.sc0.add r3, x, 1 ;
 membar.acq_rel.dv.semsc0.semav.semvis ;
 cbar.acq_rel.wg.semsc0 0 ;
exists (P0:r0 == 1)
)");
  for (const char* part : {
           "OpMemoryModel Logical Vulkan",
           "OpCapability VulkanMemoryModelDeviceScope",
           "MakePointerAvailable|NonPrivatePointer %u_2",
           "MakePointerVisible|NonPrivatePointer %u_1",
           "%u_1 %u_8260 %ul_1",  // store: Device, Release | UniformMemory | MakeAvailable
           "%u_5 %u_16706",       // load: QueueFamily, Acquire | UniformMemory | WorkgroupMemory | MakeVisible
           "%u_1 %u_72 %ul_7",    // exchange: Device, AcquireRelease | UniformMemory
           "OpAtomicIAdd %ulong",
           "OpMemoryBarrier %u_1 %u_24648",
           "OpControlBarrier %u_2 %u_2 %u_72",
       })
    EXPECT_NE(s.find(part), std::string::npos) << part << "\nin\n" << s;
}

TEST(KernelSpirv, WhatAShaderCannotSayIsRefusedByName) {
  const auto one = [](const char* instruction) {
    return printed(std::string("VULKAN t\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 ;\n ") + instruction +
                   " ;\nexists (x == 0)\n");
  };
  EXPECT_NE(one("avdevice").find("'avdevice' is an operation of the host"), std::string::npos);
  EXPECT_NE(one("st.sc2 x, 1").find("accesses an image or an output"), std::string::npos);
  EXPECT_NE(
      one("st.sc1 x, 1").find("names storage class sc1 (workgroup memory), and its location is in a storage buffer"),
      std::string::npos);
  EXPECT_NE(one("rmw.atom.dv.sc0.mul r0, x, 2").find("SPIR-V has no atomic instruction for what"), std::string::npos);
  EXPECT_NE(printed("PTX t\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 0)\n")
                .find("'st.weak' is not an instruction of the Vulkan memory model"),
            std::string::npos);
}

TEST(KernelSpirv, FailedExchangesKeepTheirOrder) {
  const auto exchange = [](const char* failure) {
    return printed(
        std::string("#version 450\n#extension GL_KHR_memory_scope_semantics : require\n"
                    "layout(local_size_x = 1) in;\nlayout(binding = 0) nonprivate buffer B { uint x; uint y; };\n"
                    "void main() {\n  y = atomicCompSwap(x, 0u, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                    "gl_SemanticsAcquireRelease, ") +
        failure + ");\n}\n");
  };
  const std::string acquire = exchange("gl_StorageSemanticsBuffer, gl_SemanticsAcquire"),
                    relaxed = exchange("0, gl_SemanticsRelaxed");
  EXPECT_NE(acquire.find("%u_1 %u_72 %u_66 %u_1 %u_0"), std::string::npos) << acquire;
  EXPECT_NE(relaxed.find("%u_1 %u_72 %u_0 %u_1 %u_0"), std::string::npos) << relaxed;
}
