#include "emit/kernel_opencl.h"

#include <gtest/gtest.h>

#include "front/litmus.h"

using namespace fencepost;
using namespace fencepost::emit;

namespace {

// Every memory instruction, fence and barrier of a test, each on word (symbol * 2) of one buffer; registers are
// variables, and local instructions are left out: this is about the text of single instructions.
code::Kernel instructions_of(const std::string& text) {
  const auto test = front::parse_one(make_source("t.litmus", text));
  EXPECT_TRUE(test.has_value()) << (test ? "" : render(test.error()));
  code::Kernel k;
  k.name = "instructions";
  k.buffers = {{"memory"}};
  if (!test) return k;
  for (uint32_t t = 0; t < test->threads.size(); ++t) {
    std::vector<code::Var> vars;
    for (const prog::Register& r : test->code(t).registers)
      vars.push_back(code::add_variable(
          k,
          "t" + std::to_string(t) + "_" +
              (r.name.starts_with("$") || r.temporary ? "tmp" + std::to_string(vars.size()) : r.name),
          r.width <= 32 ? 32 : 64));
    const auto here = [&](const term::Expr& e) {
      return term::substitute(
          e, [&](uint64_t v, uint8_t w) { return v == prog::k_old_value ? term::Expr() : term::variable(vars[v], w); });
    };
    for (const prog::Instr& i : test->instrs(t)) {
      if (i.kind != prog::Kind::load && i.kind != prog::Kind::store && i.kind != prog::Kind::rmw &&
          i.kind != prog::Kind::fence && i.kind != prog::Kind::barrier)
        continue;
      code::Operation o;
      o.role = t;
      o.instr = i;
      o.dialect = test->dialect;
      if (i.addr.symbol != prog::k_none) {
        const prog::ObjectId object = test->symbols[i.addr.symbol].object;
        o.place = code::Place{0, term::constant(object * 2, 32),
                   static_cast<uint8_t>(test->objects[object].width <= 32 ? 32 : 64)};
      }
      o.value = here(i.value);
      o.guard = here(i.guard);
      o.result = here(i.result);
      if (i.dst != prog::k_none) o.var = vars[i.dst];
      k.operations.push_back(o);
      k.body.push_back(code::test(static_cast<uint32_t>(k.operations.size() - 1)));
    }
  }
  return k;
}

std::string printed(const std::string& litmus, OpenclKind kind = OpenclKind::scoped) {
  const auto text = kernel_opencl({instructions_of(litmus)}, kind);
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
  EXPECT_NE(printed(test).find("'st.release.gpu' is no instruction of OpenCL C"), std::string::npos) << printed(test);
}

TEST(KernelOpencl, OpenclTestsHaveNoInlineForm) {
  const std::string s = printed(
      "OPENCL t\n{ x = 0; }\nP0@wg 0, dev 0(global atomic_int* x) {\n  atomic_store(x, 1);\n}\nexists ([x]=1)\n",
      OpenclKind::inline_ptx);
  EXPECT_NE(s.find("NVIDIA's OpenCL C has no 'atomic_store' with orders and scopes"), std::string::npos) << s;
}
