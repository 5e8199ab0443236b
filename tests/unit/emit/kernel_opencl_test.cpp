#include "emit/kernel_opencl.h"

#include <gtest/gtest.h>

#include "instructions.h"

using namespace fencepost;
using namespace fencepost::emit;

namespace {

std::string printed(const std::string& litmus, OpenclKind kind = OpenclKind::scoped) {
  const auto text = kernel_opencl({emit_test::instructions_of(litmus)}, kind);
  return text ? text->text : render(text.error());
}

}  // namespace

TEST(KernelOpencl, CallsAreThoseOfTheTest) {
  const std::string s = printed(R"(OPENCL calls
{ x = 0; y = 0; [z] = 0; }
P0@wg 0, dev 0(global atomic_int* x, global atomic_int* y, global int* z) {
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_work_group);
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  int r1 = atomic_fetch_max_explicit(x, 3, memory_order_acq_rel, memory_scope_device);
  int r2 = atomic_exchange(y, 2);
  int r3 = 0;
  int r4 = atomic_compare_exchange_strong_explicit(x, &r3, 5, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
  *z = 1;
  int r5 = *z;
  barrier(CLK_GLOBAL_MEM_FENCE);
}
exists (0:r0=1)
)");
  for (const char* line : {
           "atomic_store_explicit((volatile __global atomic_uint*)&b_memory[0u], 1u, memory_order_release, "
           "memory_scope_work_group);",
           "atomic_load_explicit((volatile __global atomic_uint*)&b_memory[2u], memory_order_acquire, "
           "memory_scope_device)",
           "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
           "atomic_fetch_max_explicit((volatile __global atomic_int*)&b_memory[0u], ((int)3u), memory_order_acq_rel, "
           "memory_scope_device)",
           "atomic_exchange((volatile __global atomic_uint*)&b_memory[2u], 2u)",
           "atomic_compare_exchange_strong_explicit((volatile __global atomic_uint*)&b_memory[0u], &expected, 5u, "
           "memory_order_seq_cst, memory_order_relaxed, memory_scope_device);",
           "b_memory[4u] = 1u;",
           "= b_memory[4u];",
           "barrier(CLK_GLOBAL_MEM_FENCE);",
       })
    EXPECT_NE(s.find(line), std::string::npos) << line << "\nin\n" << s;
}

TEST(KernelOpencl, AScopeThatADeviceMayLackHasASubstitute) {
  const auto with_scope = [](const char* scope) {
    return printed(std::string("OPENCL scope\n{ x = 0; }\nP0@wg 0, dev 0(global atomic_int* x) {\n"
                               "  atomic_store_explicit(x, 1, memory_order_relaxed, ") +
                   scope + ");\n}\nexists (x=1)\n");
  };
  const std::string substitute = "#define memory_scope_all_svm_devices memory_scope_device\n";
  EXPECT_TRUE(with_scope("memory_scope_all_svm_devices").contains(substitute));
  EXPECT_TRUE(with_scope("memory_scope_all_devices").contains(substitute));
  EXPECT_FALSE(with_scope("memory_scope_device").contains(substitute));
}

TEST(KernelOpencl, PtxIsInlineAssemblyAndSaysSo) {
  const std::string test = R"(PTX ptx
{ x = 0; y = 0; }
 P0@cta 0,gpu 0 ;
 st.release.gpu x, 1 ;
 ld.acquire.sys r0, y ;
 fence.sc.gpu ;
 atom.acq_rel.gpu.cas r1, x, 1, 2 ;
exists (P0:r0 == 1)
)";
  const std::string s = printed(test, OpenclKind::inline_ptx);
  for (const char* part :
       {"OpenCL C 1.2 with inline PTX", "st.release.gpu.global.b64 [%0], %1;", "ld.acquire.sys.global.b64 %0, [%1];",
        "\"fence.sc.gpu;\"", "atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"})
    EXPECT_NE(s.find(part), std::string::npos) << part << "\nin\n" << s;
  EXPECT_NE(printed(test).find("'st.release.gpu' is not an instruction of OpenCL C"), std::string::npos)
      << printed(test);
}

TEST(KernelOpencl, OpenclTestsHaveNoInlineForm) {
  const std::string s = printed(
      "OPENCL t\n{ x = 0; }\nP0@wg 0, dev 0(global atomic_int* x) {\n  atomic_store(x, 1);\n}\nexists ([x]=1)\n",
      OpenclKind::inline_ptx);
  EXPECT_NE(s.find("NVIDIA's OpenCL C has no 'atomic_store' with orders and scopes"), std::string::npos) << s;
}
