// The interpreter on kernels whose races, divergences and values are known.
#include "interp/interp.h"

#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "interp/value.h"

namespace fencepost::interp {
namespace {

ir::Module module(const std::string& text, bool cuda = false, bool inline_calls = true) {
  clangfe::Options o;
  o.dialect = cuda ? ir::Dialect::cuda : ir::Dialect::opencl;
  o.inline_calls = inline_calls;
  auto m = clangfe::compile(make_source(cuda ? "k.cu" : "k.cl", text), o);
  EXPECT_TRUE(m) << (m ? "" : render(m.error()));
  return m ? std::move(*m) : ir::Module{};
}

Shape shape(uint32_t local, uint32_t groups) {
  Shape s;
  s.local_size[0] = local;
  s.num_groups[0] = groups;
  return s;
}

class Interp : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

// The first defect over a few seeds: "race", "benign race", "divergence", ...; "none".
std::string seen(const std::string& text, Shape s = shape(4, 2), bool cuda = false) {
  const ir::Module m = module(text, cuda);
  std::string found = "none";
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Outcome o = run(m, m.kernels().at(0), s, {.seed = seed});
    if (o.status == Outcome::unsupported || o.status == Outcome::gave_up || o.status == Outcome::impossible)
      return o.detail;
    if (const Defect* d = o.first_defect(false)) return name(d->kind);
    if (!o.defects.empty()) found = "benign race";
  }
  return found;
}

TEST_F(Interp, races_within_a_group) {
  EXPECT_EQ(seen("__kernel void k(__global int *A) { A[get_global_id(0)] = 1; }"), "none");
  EXPECT_EQ(seen("__kernel void k(__global int *A) { A[get_local_id(0) / 2] = get_global_id(0); }"), "race");
  EXPECT_EQ(seen("__kernel void k(__global int *A) { A[get_global_id(0)] = A[get_global_id(0) + 1]; }"), "race");
  EXPECT_EQ(seen("__kernel void k(__local int *A) { A[get_local_id(0)] = get_local_id(0); }"),
            "none");  // each group has its own
  EXPECT_EQ(seen("__kernel void k(__global int *A) { A[get_local_id(0)] = get_global_id(0); }"),
            "race");  // the groups share it
  EXPECT_EQ(seen("__kernel void k(__global int *A) { A[0] = 7; }"), "benign race");
}

TEST_F(Interp, barriers_order_what_their_flags_cover) {
  const auto swap = [](const std::string& space, const std::string& flags) {
    return "__kernel void k(__" + space +
           " int *A) { int i = get_local_id(0); A[i + 16 * get_group_id(0)] = i; barrier(" + flags +
           "); A[((i + 1) & 3) + 16 * get_group_id(0)] = i; }";
  };
  EXPECT_EQ(seen(swap("local", "CLK_LOCAL_MEM_FENCE")), "none");
  EXPECT_EQ(seen(swap("local", "CLK_GLOBAL_MEM_FENCE")), "race");
  EXPECT_EQ(seen(swap("global", "CLK_GLOBAL_MEM_FENCE")), "none");
  EXPECT_EQ(seen(swap("global", "CLK_LOCAL_MEM_FENCE")), "race");
  EXPECT_EQ(seen(swap("global", "get_local_id(0) == 0 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE")),
            "race");  // both must say so
}

TEST_F(Interp, groups_are_ordered_by_grid_barriers_only) {
  EXPECT_EQ(seen("__global__ void k(int *A) { int i = blockIdx.x; if (threadIdx.x == 0) A[i] = i; __syncthreads(); if "
                 "(threadIdx.x == 0) A[1 - i] = i; }",
                 shape(2, 2), true),
            "race");
  EXPECT_EQ(seen("__global__ void k(int *A) { int i = blockIdx.x; if (threadIdx.x == 0) A[i] = i; "
                 "cooperative_groups::this_grid().sync(); if (threadIdx.x == 0) A[1 - i] = i; }",
                 shape(2, 2), true),
            "none");
}

TEST_F(Interp, warp_barriers_order_their_warp) {
  const std::string text =
      "__global__ void k() { __shared__ int A[64]; int i = threadIdx.x; A[i] = i; __syncwarp(); A[i ^ 1] = i; }";
  EXPECT_EQ(seen(text, shape(64, 1), true), "none");
  EXPECT_EQ(
      seen("__global__ void k() { __shared__ int A[64]; int i = threadIdx.x; A[i] = i; __syncwarp(); A[i ^ 32] = i; }",
           shape(64, 1), true),
      "race");
}

TEST_F(Interp, copies_of_one_thread_last_until_it_has_waited) {
  const auto kernel = [](const std::string& body) {
    return "#include <cuda_pipeline.h>\n__global__ void k(const float *g, float *o, int n) { __shared__ float s[2][4];"
           "int t = threadIdx.x; float x = 0;" +
           body + " o[4 * blockIdx.x + t] = x; }";
  };
  const std::string copy = "__pipeline_memcpy_async(&s[0][t], &g[t], 4);", commit = "__pipeline_commit();",
                    wait = "__pipeline_wait_prior(0);", all = "__syncthreads();", use = "x = s[0][3 - t];",
                    own = "x = s[0][t];";
  const auto is = [&](const std::string& body) { return seen(kernel(body), shape(4, 2), true); };
  EXPECT_EQ(is(copy + commit + wait + all + use), "none");
  EXPECT_EQ(is(copy + commit + wait + own), "none");
  EXPECT_EQ(is(copy + commit + wait + use), "race");
  EXPECT_EQ(is(copy + commit + all + use), "race");
  EXPECT_EQ(is(copy + commit + own), "race");
  EXPECT_EQ(is(copy + wait + all + use), "race");  // in no group
  EXPECT_EQ(is(copy + commit + "__pipeline_wait_prior(1);" + all + use), "race");
  EXPECT_EQ(is(copy + commit + all + wait + use), "race");
  EXPECT_EQ(is(copy + commit + commit + "__pipeline_wait_prior(1);" + all + use), "none");
  EXPECT_EQ(is("s[0][t] = 1;" + copy + commit + wait + own), "none");
  EXPECT_EQ(is(copy + "s[0][t] = 1;" + commit + wait + own), "race");
  EXPECT_EQ(is(copy + "__pipeline_memcpy_async(&s[0][t], &g[t + 1], 4);" + commit + wait + own), "race");
  EXPECT_EQ(is("asm volatile(\"cp.async.wait_all;\");" + copy + own), "race");
  EXPECT_EQ(is(copy + "asm volatile(\"cp.async.wait_all;\");" + own), "none");
  // Two buffers in turn.
  const auto turns = [](const std::string& wait_for, const std::string& end) {
    return "__pipeline_memcpy_async(&s[0][t], &g[t], 4); __pipeline_commit(); for (int i = 0; i < 5; i++) {"
           "if (i < 4) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &g[4 * i + 4 + t], 4); __pipeline_commit();" +
           wait_for + "__syncthreads(); x += s[i & 1][3 - t];" + end + "}";
  };
  EXPECT_EQ(is(turns("__pipeline_wait_prior(1);", "__syncthreads();")), "none");
  EXPECT_EQ(is(turns("__pipeline_wait_prior(2);", "__syncthreads();")), "race");
  EXPECT_EQ(is(turns("__pipeline_wait_prior(1);", "")), "race");
  EXPECT_EQ(is(turns("", "__syncthreads();")), "race");
}

TEST_F(Interp, matrix_functions_are_for_whole_warps) {
  const auto tile = [](const std::string& when, const std::string& at) {
    return "#include <mma.h>\nusing namespace nvcuda; __global__ void k(float *o) { int t = threadIdx.x;"
           "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; wmma::fill_fragment(f, 0.f);" +
           when + " wmma::store_matrix_sync(o + 256 * (t / 32 + 2 * blockIdx.x)" + at +
           ", f, 16, wmma::mem_row_major); }";
  };
  for (const bool together : {false, true}) {
    Shape whole = shape(64, 1), part = shape(48, 1);
    whole.lock_step = part.lock_step = together;
    EXPECT_EQ(seen(tile("", ""), whole, true), "none");
    EXPECT_EQ(seen(tile("", ""), part, true), "warp_operands");
    EXPECT_EQ(seen(tile("", "+ 256 * (t & 1)"), whole, true), "warp_operands");
    EXPECT_EQ(seen(tile("if (t & 1)", ""), whole, true), "divergence");
    EXPECT_EQ(seen(tile("if (t & 32)", ""), whole, true), "none");
  }
}

// As the proof has it: of all that lanes do, what they read before is ordered, and before the function's store alone.
TEST_F(Interp, matrix_functions_order_reads_before_their_stores) {
  const auto kernel = [](const std::string& first, const std::string& function, const std::string& behind,
                         const std::string& fence) {
    return "#include <mma.h>\nusing namespace nvcuda; __global__ void k(float *o, const half *h, int *n) {"
           "__shared__ float s[256]; int t = threadIdx.x; float x = 0;"
           "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; wmma::fill_fragment(f, 0.f);" +
           fence + first + function + behind + " o[t] = x; }";
  };
  const std::string store = "wmma::store_matrix_sync(s, f, 16, wmma::mem_row_major);",
                    load = "wmma::load_matrix_sync(f, s, 16, wmma::mem_row_major);",
                    read = "for (int i = 0; i < 256; i += 16) x += s[(t * 8 + i) & 255];", write = "s[8 * t] = 1;",
                    sync = "__syncwarp();";
  for (const std::string fence : {"", "atomicAdd(n, 1); __threadfence();"}) {
    Shape waits = shape(32, 1), plain = waits;
    waits.matrix_stores_wait = true;
    EXPECT_EQ(seen(kernel(read, store, sync, fence), waits, true), "none") << fence;
    EXPECT_EQ(seen(kernel(read, store, sync, fence), plain, true), "race") << fence;
    EXPECT_EQ(seen(kernel(read + sync, store, sync, fence), plain, true), "none") << fence;
    EXPECT_EQ(seen(kernel(write, load, sync, fence), waits, true), "race") << fence;
    EXPECT_EQ(seen(kernel(write, store, sync, fence), waits, true), "race") << fence;
    EXPECT_EQ(seen(kernel(read, load, write, fence), waits, true), "race") << fence;
    EXPECT_EQ(seen(kernel(read, store, sync + write, fence), waits, true), "none") << fence;
    EXPECT_EQ(seen(kernel(read,
                          "wmma::mma_sync(f, wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>(),"
                          " wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>(), f);",
                          write, fence),
                   waits, true),
              "race")
        << fence;
    EXPECT_EQ(seen(kernel("", store, read, fence), waits, true), "race") << fence;
  }
}

TEST_F(Interp, divergence) {
  EXPECT_EQ(seen("__kernel void k() { if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE); }"), "divergence");
  EXPECT_EQ(seen("__kernel void k() { if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE); else "
                 "barrier(CLK_LOCAL_MEM_FENCE); }"),
            "divergence");
  EXPECT_EQ(seen("__kernel void k() { if (get_group_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE); }"), "none");
  EXPECT_EQ(seen("__kernel void k() { for (int i = 0; i < get_local_id(0); i++) barrier(CLK_LOCAL_MEM_FENCE); }"),
            "divergence");
}

TEST_F(Interp, copies_of_a_group) {
  const auto copy = [](const std::string& behind) {
    return "__kernel void k(__global int *A, __global int *B) { __local int s[8]; int i = get_local_id(0);"
           " event_t e = async_work_group_copy(s, A, 8, 0); " +
           behind + " }";
  };
  const std::string wait = "wait_group_events(1, &e); ", use = "B[get_global_id(0)] = s[(i + 1) & 3];";
  EXPECT_EQ(seen(copy(wait + use)), "none");
  EXPECT_EQ(seen(copy(use + wait)), "race");
  EXPECT_EQ(seen(copy("barrier(CLK_LOCAL_MEM_FENCE); " + use + wait)), "race");  // a barrier ends no copy
  EXPECT_EQ(seen(copy("A[i] = 1; " + wait), shape(4, 1)), "race");
  EXPECT_EQ(seen(copy(wait + "A[i] = 1;"), shape(4, 1)), "none");
  EXPECT_EQ(seen("__kernel void k(__global int *A) { __local int s[8]; s[get_local_id(0)] = 1; "
                 "event_t e = async_work_group_copy(A, s, 4, 0); wait_group_events(1, &e); }",
                 shape(4, 1)),
            "race");  // no barrier before it
  EXPECT_EQ(seen("__kernel void k(__global int *A) { __local int s[8]; s[get_local_id(0)] = 1; "
                 "barrier(CLK_LOCAL_MEM_FENCE); event_t e = async_work_group_copy(A, s, 4, 0); "
                 "wait_group_events(1, &e); s[get_local_id(0)] = 2; }",
                 shape(4, 1)),
            "none");
  EXPECT_EQ(seen(copy("e = async_work_group_copy(s, A + 8, 8, e); " + wait + use)), "race");  // two at once
  EXPECT_EQ(seen("__kernel void k(__global int *A) { __local int s[8]; event_t e = 0; if (get_local_id(0) < 2) "
                 "e = async_work_group_copy(s, A, 8, 0); wait_group_events(1, &e); }"),
            "group_copy");
  Shape reference = shape(4, 1);
  reference.group_waits = false;
  EXPECT_EQ(seen(copy(wait + use), reference), "race");
  EXPECT_EQ(seen(copy(wait + "barrier(CLK_LOCAL_MEM_FENCE); " + use), reference), "none");
}

TEST_F(Interp, the_reference_lets_the_fences_of_one_thread_stand_for_all) {
  Shape reference = shape(4, 1);
  reference.first_fences = true;
  const std::string some =
      "__kernel void k(__local int *A) { int i = get_local_id(0); A[i] = i; "
      "barrier(i < 4 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE); A[(i + 1) & 3] = i; }";
  EXPECT_EQ(seen(some, reference), "none");
}

TEST_F(Interp, barriers_with_a_number_of_threads) {
  const auto message = [](const std::string& first, const std::string& second) {
    return "__global__ void k(int *A, int *B) { __shared__ int s[64]; int i = threadIdx.x; if (i < 32) { s[i] = i; " +
           first + " } else { " + second + " B[i] = s[63 - i]; } }";
  };
  const std::string arrive = "asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");",
                    sync = "asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");",
                    other = "asm volatile(\"bar.sync 2, 64;\" ::: \"memory\");";
  EXPECT_EQ(seen(message(arrive, sync), shape(64, 1), true), "none");
  EXPECT_EQ(seen(message(sync, sync), shape(64, 1), true), "none");
  EXPECT_EQ(seen(message(arrive + " s[i] = 3;", sync), shape(64, 1), true), "race");  // it does not wait
  EXPECT_EQ(seen(message("", "asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");"), shape(64, 1), true), "race");
  EXPECT_EQ(seen(message(sync, other), shape(64, 1), true), "deadlock");
  // Of all threads, wherever they come: who arrives by the number is one of them, who arrives and then waits is two.
  const std::string all = "asm volatile(\"bar.sync 1;\" ::: \"memory\");";
  EXPECT_EQ(seen(message(arrive, all), shape(64, 1), true), "none");
  EXPECT_EQ(seen(message(arrive, ""), shape(64, 1), true), "race");
  EXPECT_EQ(seen("__global__ void k(int *B) { __shared__ int s[64]; int i = threadIdx.x; s[i] = i; if (i < 32) " +
                     arrive + " else " + arrive + " " + all + " B[i] = s[63 - i]; }",
                 shape(64, 1), true),
            "race");
}

TEST_F(Interp, atomics) {
  EXPECT_EQ(seen("__kernel void k(__global int *A) { atomic_inc(A); }"), "none");
  EXPECT_EQ(seen("__kernel void k(__global int *A) { atomic_inc(A); A[0] = 3; }"), "race");
  EXPECT_EQ(seen("__kernel void k(__global int *A, __global int *B) { if (get_local_id(0) == 0) A[0] = 0; "
                 "barrier(CLK_GLOBAL_MEM_FENCE); int t = "
                 "atomic_inc(A); B[t] = t + get_local_id(0); }",
                 shape(4, 1)),
            "none");
  EXPECT_EQ(seen("__global__ void k(int *A) { atomicAdd_block(A, 1); }", shape(2, 2), true),
            "race");  // the scope leaves the other group out
  EXPECT_EQ(seen("__global__ void k(int *A) { atomicAdd_block(A, 1); }", shape(4, 1), true), "none");
  const ir::Module m = module("__global__ void k(int *A) { atomicAdd(A, 1); }", true);
  EXPECT_FALSE(run(m, m.kernels()[0], shape(2, 1), {}).complete());  // another order could do something else
}

TEST_F(Interp, assertions_assumptions_and_preconditions) {
  EXPECT_EQ(seen("__kernel void k(int n) { __assert(n == n); }"), "none");
  EXPECT_EQ(seen("__kernel void k(int n) { __assert(get_local_id(0) < 3); }"), "assertion");
  EXPECT_EQ(
      seen("__kernel void k(int n) { __assume(get_local_id(0) < 3); __assert(get_local_id(0) < 3); }").substr(0, 10),
      "an assumpt");
  const ir::Module m = module("__kernel void k(int n) { __requires(n == 5); __assert(n == 5); }");
  Inputs five;
  five.arguments[0] = 5;
  EXPECT_EQ(run(m, m.kernels()[0], shape(2, 1), five).status, Outcome::ended);
  five.arguments[0] = 6;
  EXPECT_EQ(run(m, m.kernels()[0], shape(2, 1), five).status, Outcome::impossible);
}

TEST_F(Interp, bounds_null_and_constants) {
  EXPECT_EQ(seen("__kernel void k(int n) { __local int A[4]; A[get_local_id(0) + 1] = 1; }"), "out_of_bounds");
  EXPECT_EQ(seen("__kernel void k(__global int *A) { __global int *p = 0; *p = A[0]; }"), "null_access");
  EXPECT_EQ(seen("__constant int C[2] = {1, 2};\n__kernel void k() { __assert(C[1] == 2); }"), "none");
}

TEST_F(Interp, the_order_of_threads_is_the_seeds) {
  const ir::Module m = module("__kernel void k(__global int *A) { A[get_local_id(0) / 2] = get_global_id(0); }");
  const Outcome a = run(m, m.kernels()[0], shape(4, 1), {.seed = 3}),
                b = run(m, m.kernels()[0], shape(4, 1), {.seed = 3});
  ASSERT_EQ(a.defects.size(), b.defects.size());
  EXPECT_EQ(describe(m, a.defects[0]), describe(m, b.defects[0]));
  EXPECT_EQ(a.defects[0].byte % 4, 0u);
  EXPECT_EQ(a.defects[0].first.bytes, 4u);
}

TEST_F(Interp, a_reduction_gives_the_sum) {
  const std::string text =
      "__kernel void k(__global int *in, __local int *s) {\n"
      "  int i = get_local_id(0);\n"
      "  s[i] = in[i];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  for (int d = get_local_size(0) / 2; d > 0; d >>= 1) {\n"
      "    if (i < d) s[i] += s[i + d];\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  }\n"
      "  __assert(s[0] == 36);\n"
      "}\n";
  const ir::Module m = module(text);
  Inputs in;
  std::vector<uint8_t> words;
  for (uint8_t k = 1; k <= 8; ++k) words.insert(words.end(), {k, 0, 0, 0});
  in.contents[m.functions[0].parameters[0].region.index] = words;
  const Outcome o = run(m, m.kernels()[0], shape(8, 1), in);
  EXPECT_EQ(o.status, Outcome::ended) << o.detail;
  EXPECT_TRUE(o.complete());
  EXPECT_EQ(o.first_defect(true), nullptr);
  EXPECT_EQ(seen("__kernel void k(__local int *s) { int i = get_local_id(0); for (int d = 4; d > 0; d >>= 1) { if (i < "
                 "d) s[i] += s[i + d]; } }",
                 shape(8, 1)),
            "race");  // no barrier
}

TEST_F(Interp, functions_pointers_and_recursion) {
  const std::string text =
      "int f(int n) { return n == 0 ? 1 : n * f(n - 1); }\n__kernel void k(int n) { __assert(f(5) == 120); }";
  EXPECT_EQ(seen(text), "none");
  const ir::Module m = module(
      "__device__ int inc(int x) { return x + 1; }\n__device__ int dec(int x) { return x - 1; }\n"
      "__global__ void k(int n) { int (*f)(int) = threadIdx.x == 0 ? inc : dec; __assert(f(7) == (threadIdx.x == 0 ? 8 "
      ": 6)); }",
      true, false);
  EXPECT_EQ(run(m, m.kernels()[0], shape(2, 1), {}).defects.size(), 0u);
}

TEST_F(Interp, a_spinning_thread_lets_others_go_on) {
  const ir::Module m = module(
      "__global__ void k(volatile int *f) { if (threadIdx.x == 0) { while (atomicAdd((int *)f, 0) < 100) {} } else "
      "atomicExch((int *)f, 200); }",
      true);
  Inputs in;
  in.drawn = Inputs::zeros;
  EXPECT_EQ(run(m, m.kernels()[0], shape(2, 1), in).status, Outcome::ended);
  Limits few;
  few.steps = 1000;
  const ir::Module forever = module("__kernel void k(int n) { while (1) { n++; } }");
  EXPECT_EQ(run(forever, forever.kernels()[0], shape(1, 1), {}, few).status, Outcome::gave_up);
}

TEST(Values, integers_and_floats) {
  using ir::Op;
  const auto e = [](Op op, std::vector<uint64_t> x, uint32_t w, uint32_t r, uint64_t imm = 0) {
    return evaluate(ir::Compute{.op = op, .imm = imm}, x, w, r);
  };
  EXPECT_EQ(e(Op::sdiv, {0xf8, 2}, 8, 8), 0xfcu);
  EXPECT_EQ(e(Op::sdiv, {0x80, 0xff}, 8, 8), 0x80u);
  EXPECT_EQ(e(Op::udiv, {5, 0}, 8, 8), 0xffu);
  EXPECT_EQ(e(Op::srem, {0xf9, 2}, 8, 8), 0xffu);
  EXPECT_EQ(e(Op::ashr, {0x80, 9}, 8, 8), 0xffu);
  EXPECT_EQ(e(Op::clz, {1}, 32, 32), 31u);
  EXPECT_EQ(e(Op::bitreverse, {1}, 32, 32), 0x80000000u);
  EXPECT_EQ(e(Op::byteswap, {0x11223344}, 32, 32), 0x44332211u);
  EXPECT_EQ(e(Op::fadd, {0x3f800000, 0x40000000}, 32, 32), 0x40400000u);
  EXPECT_EQ(e(Op::fcmp, {0x7fc00000, 0}, 32, 1, static_cast<uint64_t>(ir::FloatCompare::une)), 1u);
  EXPECT_EQ(e(Op::fcmp, {0x3f800000, 0}, 32, 1, static_cast<uint64_t>(ir::FloatCompare::ole)), 0u);
  EXPECT_EQ(e(Op::float_to_sint, {0xc0200000}, 32, 32), 0xfffffffeu);  // -2.5
  EXPECT_EQ(e(Op::float_to_float, {0x3c00}, 16, 32), 0x3f800000u);
  EXPECT_EQ(e(Op::float_to_float, {0x3f800000}, 32, 16), 0x3c00u);
  EXPECT_EQ(e(Op::sint_to_float, {0xffffffff}, 32, 32), 0xbf800000u);
}

// ---- fences, ordered atomics, exchanges -------------------------------------------------------------------------

// With zeros in all arrays: locks are free.
std::string seen_from_zeros(const std::string& text, bool cuda, Shape s = shape(2, 2)) {
  const ir::Module m = module(text, cuda);
  std::string found = "none";
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Inputs inputs{.seed = seed};
    for (uint32_t r = 0; r < m.regions.size(); ++r) inputs.contents[r] = std::vector<uint8_t>(256, 0);
    const Outcome o = run(m, m.kernels().at(0), s, inputs, {.steps = 50'000});
    if (const Defect* d = o.first_defect(false)) return name(d->kind);
    if (o.status != Outcome::ended) found = o.detail;
  }
  return found;
}

std::string lock_cuda(const std::string& before, const std::string& behind) {
  return "__global__ void k(int *lock, int *sum) { bool done = false; while (!done) if (atomicCAS(lock, 0, 1) == 0) {" +
         before + "*sum += threadIdx.x + 1;" + behind + "atomicExch(lock, 0); done = true; } }";
}

TEST_F(Interp, a_lock_orders_what_it_protects) {
  EXPECT_EQ(seen_from_zeros(lock_cuda("__threadfence();", "__threadfence();"), true), "none");
  EXPECT_EQ(seen_from_zeros(lock_cuda("__threadfence();", ""), true), "race");
  EXPECT_EQ(seen_from_zeros(lock_cuda("", "__threadfence();"), true), "race");
  EXPECT_EQ(seen_from_zeros(lock_cuda("__threadfence_block();", "__threadfence_block();"), true), "race");
  EXPECT_EQ(seen_from_zeros(lock_cuda("__threadfence_block();", "__threadfence_block();"), true, shape(4, 1)), "none");
  // Who spins waits for the holder, which goes on; a lock that is never given back is waited for in vain.
  EXPECT_EQ(
      seen_from_zeros("__global__ void k(int *l, int *s) { while (atomicCAS(l, 0, 1) != 0); __threadfence(); *s += 1;"
                      " __threadfence(); atomicExch(l, 0); }",
                      true),
      "none");
  EXPECT_EQ(seen_from_zeros("__global__ void k(int *l) { while (atomicCAS(l, 0, 1) != 0); }", true),
            "the limit of steps is reached");
}

std::string message(const std::string& release, const std::string& acquire, const std::string& scope = "device") {
  return "__kernel void k(__global int *d, __global atomic_int *f, __global int *out) { if (get_global_id(0) == 0) { "
         "*d = 42; "
         "atomic_store_explicit(f, 1, memory_order_" +
         release + ", memory_scope_" + scope +
         "); } else if "
         "(atomic_load_explicit(f, memory_order_" +
         acquire + ", memory_scope_" + scope + ") == 1) out[get_global_id(0)] = *d; }";
}

TEST_F(Interp, a_released_message_is_acquired) {
  EXPECT_EQ(seen_from_zeros(message("release", "acquire"), false), "none");
  EXPECT_EQ(seen_from_zeros(message("relaxed", "acquire"), false), "race");
  EXPECT_EQ(seen_from_zeros(message("release", "relaxed"), false), "race");
  EXPECT_EQ(seen_from_zeros(message("release", "acquire", "work_group"), false), "race");
  EXPECT_EQ(seen_from_zeros(message("release", "acquire", "work_group"), false, shape(4, 1)), "none");
  EXPECT_EQ(
      seen_from_zeros(
          "__kernel void k(__global int *d, __global atomic_int *f, __global int *out) {"
          " if (get_global_id(0) == 0) { *d = 42; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,"
          " memory_scope_device); atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device); }"
          " else if (atomic_load_explicit(f, memory_order_relaxed, memory_scope_device) == 1) {"
          " atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);"
          " out[get_global_id(0)] = *d; } }",
          false),
      "none");
  // A fence of local memory orders no global memory, nor does an ordered atomic there.
  EXPECT_EQ(
      seen_from_zeros(
          "__kernel void k(__global int *d, __local atomic_int *f, __global int *out) {"
          " if (get_local_id(0) == 0) { d[get_group_id(0)] = 42; atomic_store_explicit(f, 1, memory_order_release); }"
          " else if (atomic_load_explicit(f, memory_order_acquire) == 1) out[get_global_id(0)] = d[get_group_id(0)]; }",
          false, shape(2, 1)),
      "race");
}

uint64_t value_at(const std::string& text, uint32_t thread, bool lock_step = false, uint32_t local = 8) {
  const ir::Module m = module(text, true);
  Shape s = shape(local, 1);
  s.warp_size = 8;
  s.lock_step = lock_step;
  // What thread `thread` got is found by whether an assertion about it holds.
  for (uint64_t v = 0; v < 300; ++v) {
    Inputs inputs;
    inputs.arguments[0] = thread;
    inputs.arguments[1] = v;
    const Outcome o = run(m, m.kernels().at(0), s, inputs);
    if (o.status == Outcome::ended) return v;
  }
  return ~uint64_t{0};
}

TEST_F(Interp, lanes_exchange_values) {
  const auto of = [](const std::string& e) {
    return "__global__ void k(int t, int v) { int i = threadIdx.x; int x = " + e + "; if (i == t) __assert(x == v); }";
  };
  for (const bool lock_step : {false, true}) {
    EXPECT_EQ(value_at(of("__shfl_sync(0xff, 10 + i, 3, 8)"), 5, lock_step), 13u);
    EXPECT_EQ(value_at(of("__shfl_sync(0xff, 10 + i, 3, 4)"), 5, lock_step), 17u);
    EXPECT_EQ(value_at(of("__shfl_up_sync(0xff, 10 + i, 2, 8)"), 5, lock_step), 13u);
    EXPECT_EQ(value_at(of("__shfl_up_sync(0xff, 10 + i, 2, 8)"), 1, lock_step), 11u);
    EXPECT_EQ(value_at(of("__shfl_down_sync(0xff, 10 + i, 2, 4)"), 1, lock_step), 13u);
    EXPECT_EQ(value_at(of("__shfl_down_sync(0xff, 10 + i, 2, 4)"), 2, lock_step), 12u);
    EXPECT_EQ(value_at(of("__shfl_xor_sync(0xff, 10 + i, 1, 8)"), 4, lock_step), 15u);
    EXPECT_EQ(value_at(of("__ballot_sync(0xff, i & 1)"), 4, lock_step), 0xaau);
    EXPECT_EQ(value_at(of("__any_sync(0xff, i == 3) + 2 * __all_sync(0xff, i < 8) + 4 * __all_sync(0xff, i > 0)"), 4,
                       lock_step),
              3u);
    EXPECT_EQ(value_at(of("__match_any_sync(0xff, i / 3)"), 4, lock_step), 0x38u);
    EXPECT_EQ(value_at(of("__reduce_add_sync(0xffu, i)"), 4, lock_step), 28u);
    EXPECT_EQ(value_at(of("__reduce_max_sync(0xffu, i ^ 5)"), 4, lock_step), 7u);
  }
  // Some lanes only, as their mask says; and who is named but goes elsewhere is missed.
  EXPECT_EQ(value_at(of("i < 4 ? __shfl_sync(0xf, 10 + i, 3, 8) : 0"), 2), 13u);
  EXPECT_EQ(seen("__global__ void k() { if (threadIdx.x < 2) __shfl_sync(0xf, 1, 0); else __syncthreads(); }",
                 shape(4, 1), true),
            "divergence");
}

}  // namespace
}  // namespace fencepost::interp
