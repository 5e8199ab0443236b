// What libraries and caches do not promise: primitives of cub and weak compare-exchanges, numbers of tiles and warps,
// and reads that stores of the same kernel do not reach. Each wrong kernel stands beside a right one.
#include "decide.h"

namespace fencepost::verifier {
namespace {

const std::string k_cub = "#include <cub/cub.cuh>\n", k_atomic = "#include <cuda/atomic>\n",
                  k_groups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n",
                  k_barrier = "#include <cuda/barrier>\n";

std::string kernel(const std::string& before, const std::string& parameters, const std::string& body) {
  return before + "__global__ void k(" + parameters + ") {\n  int t = threadIdx.x, g = 64 * blockIdx.x + t;\n" + body +
         "\n}\n";
}

struct Row {
  std::string text;
  int exit_code;
  const char* says = "";
  std::vector<std::string> options = {"--no-attack"};
  const char* name = "k.cu";
};
void decide_all(const std::vector<Row>& rows) {
  for (const Row& r : rows) decide({{r.name, r.text.c_str(), r.exit_code, r.says, r.options}});
}

// The manual promises that no one waits inside: what the block itself has in shared memory is not ordered.
TEST(Library, PrimitivesOfCubOrderNoMemory) {
  const auto block = [](const std::string& type, const std::string& call, const std::string& order) {
    return kernel(k_cub, "int *d, int *o",
                  "  typedef " + type + " B; __shared__ typename B::TempStorage m; __shared__ int s[64]; int a = 0;\n" +
                      "  s[t] = d[g]; " + call + " " + order + " o[g] = s[t ^ 1] + a;");
  };
  const std::string sum = "a = B(m).Sum(d[g]);", scan = "B(m).ExclusiveSum(d[g], a);", sync = "__syncthreads();";
  for (const auto& [type, call] :
       std::vector<std::pair<std::string, std::string>>{{"cub::BlockReduce<int, 64>", sum},
                                                        {"cub::BlockReduce<int, 64, cub::BLOCK_REDUCE_RAKING>", sum},
                                                        {"cub::BlockScan<int, 64>", scan}}) {
    decide_all({{block(type, call, ""), 1, "race on s["}, {block(type, call, sync), 0}});
    decide_all({{block(type, call, ""), 1, "confirmed by a run", {}}});
  }
  const auto warp = [](const std::string& lanes, const std::string& order, const std::string& other) {
    return kernel(k_cub, "int *d, int *o",
                  "  typedef cub::WarpReduce<int, " + lanes + "> W; __shared__ typename W::TempStorage m[64 / " +
                      lanes + "]; __shared__ int s[64];\n  s[t] = d[g]; int a = W(m[t / " + lanes + "]).Sum(d[g]); " +
                      order + " o[g] = s[t ^ " + other + "] + a;");
  };
  decide_all({{warp("32", "", "1"), 1, "race on s["},
              {warp("32", "__syncwarp();", "1"), 0},
              {warp("16", "", "16"), 1, "race on s["},
              {warp("16", "__syncwarp();", "16"), 0}});
}

// "A barrier is needed before it is reused": by the same primitive, in a loop, by another, or by hand.
TEST(Library, StorageOfCubIsReusedBehindABarrier) {
  const auto twice = [](const std::string& between) {
    return kernel(
        k_cub, "int *d, int *o",
        "  typedef cub::BlockReduce<int, 64> B; __shared__ typename B::TempStorage m;\n  int a = B(m).Sum(d[g]); " +
            between + " a += B(m).Sum(d[g] + 1); o[g] = a;");
  };
  const auto loop = [](const std::string& order) {
    return kernel(k_cub, "int *d, int *o, int n",
                  "  typedef cub::BlockReduce<int, 64> B; __shared__ typename B::TempStorage m; int a = 0;\n"
                  "  for (int i = 0; i < n; i++) { a += B(m).Sum(d[g]); " +
                      order + " } o[g] = a;");
  };
  const auto read = [](const std::string& order) {
    return kernel(k_cub, "int *d, int *o",
                  "  typedef cub::BlockReduce<int, 64> B; __shared__ typename B::TempStorage m; int *p = (int *)&m;\n"
                  "  int a = B(m).Sum(d[g]); " +
                      order + " o[g] = p[0];");
  };
  for (const auto& text : {twice(""), loop(""), read("")}) decide_all({{text, 1, "race on m"}});
  for (const auto& text : {twice("__syncthreads();"), loop("__syncthreads();"), read("__syncthreads();")})
    decide_all({{text, 0}});
  // All threads of the block take part.
  decide_all({{kernel(k_cub, "int *d, int *o",
                      "  typedef cub::BlockReduce<int, 64> B; __shared__ typename B::TempStorage m;\n"
                      "  if (t < 32) o[g] = B(m).Sum(d[g]);"),
               1, "non-uniform control flow"}});
}

// It may fail though it finds what it expects, so that what it has found says nothing of a lock.
TEST(Library, AWeakCompareExchangeMayFail) {
  const auto lock = [](const std::string& take) {
    return kernel(k_atomic, "cuda::atomic<int, cuda::thread_scope_device> *l, int *d",
                  "  int e = 0;\n  " + take + "\n  d[0]++; l->store(0, cuda::memory_order_release);");
  };
  for (const char* orders : {"cuda::memory_order_acquire", "cuda::memory_order_acq_rel",
                             "cuda::memory_order_acquire, cuda::memory_order_relaxed"}) {
    const std::string cas = std::string("l->compare_exchange_weak(e, 1, ") + orders + ")",
                      strong = std::string("l->compare_exchange_strong(e, 1, ") + orders + ")";
    decide_all({{lock("while (!" + cas + ") e = 0;"), 0},
                {lock("do { e = 0; " + cas + "; } while (e != 0);"), 1, "race on d[0]"},
                {lock("do { e = 0; " + strong + "; } while (e != 0);"), 0}});
  }
  const auto opencl = [](const std::string& strength, const std::string& take, const std::string& rest) {
    return "__kernel void k(__global atomic_int *l, __global int *d) {\n  int e = 0;\n  if (get_local_id(0) == 0) { " +
           take + "atomic_compare_exchange_" + strength +
           "_explicit(l, &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)" + rest +
           "\n  d[0]++; atomic_store_explicit(l, 0, memory_order_release, memory_scope_device); } }\n";
  };
  const std::vector<std::string> words{"--std=CL2.0", "--no-attack"};
  decide_all({{opencl("weak", "while (!", ") e = 0;"), 0, "", words, "k.cl"},
              {opencl("weak", "do { e = 0; ", "; } while (e != 0);"), 1, "race on d[0]", words, "k.cl"},
              {opencl("strong", "do { e = 0; ", "; } while (e != 0);"), 0, "", words, "k.cl"}});
}

// The rank of a tile counts within what was partitioned.
TEST(Library, TilesOfTilesAreCountedWithinTheirParent) {
  const auto tile = [](const std::string& index) {
    return kernel(k_groups, "int *o",
                  "  auto w = cg::tiled_partition<32>(cg::this_thread_block()); auto u = cg::tiled_partition<8>(w);\n"
                  "  if (u.thread_rank() == 0) o[8 * blockIdx.x + " +
                      index + "] = t;");
  };
  decide_all({{tile("u.meta_group_rank()"), 1, "race on o["},
              {tile("w.meta_group_rank() * u.meta_group_size() + u.meta_group_rank()"), 0},
              {tile("w.meta_group_rank() * 4 + u.meta_group_rank()"), 0},
              {tile("w.meta_group_rank() * 3 + u.meta_group_rank()"), 1},
              {tile("t / 8"), 0}});
  const auto erased = [](const std::string& of) {
    return kernel(k_groups, "int *o",
                  "  auto w = cg::tiled_partition<32>(cg::this_thread_block());\n"
                  "  cg::thread_block_tile<8> u = cg::tiled_partition<8>(" +
                      of + ");\n  if (u.thread_rank() == 0) o[8 * blockIdx.x + u.meta_group_rank()] = t;");
  };
  decide_all({{erased("w"), 1}, {erased("cg::this_thread_block()"), 0}});
  decide_all({{kernel(k_groups, "int *o",
                      "  auto c = cg::coalesced_threads(); auto u = cg::tiled_partition<8>(c); o[g] = u.size();"),
               3, "tiled_partition"}});
}

TEST(Library, CompletionFunctionsOfBarriersAreNotFollowed) {
  const auto with = [](const std::string& type, const std::string& more) {
    return kernel(k_barrier + "struct F { int *p; __device__ void operator()() noexcept { *p += 1; } };\n", "int *o",
                  "  __shared__ cuda::barrier<cuda::thread_scope_block" + type +
                      "> b;\n  if (t == 0) init(&b, blockDim.x" + more +
                      "); __syncthreads(); b.arrive_and_wait(); o[g + 1] = t;");
  };
  decide_all({{with(", F", ", F{o}"), 3, "cuda::barrier"}, {with("", ""), 0}});
}

// Of a warp that is moved while it runs, the number changes.
TEST(Library, TheNumberOfAWarpIsAnyNumber) {
  const auto number = [](const std::string& n) {
    return kernel("", "int *o", "  unsigned w = " + n + "; if (t % 32 == 0) o[2 * blockIdx.x + w] = t;");
  };
  decide_all({{number("t / 32"), 0},
              {number("0; asm volatile(\"mov.u32 %0, %%warpid;\" : \"=r\"(w))"), 1},
              {number("__nvvm_read_ptx_sreg_warpid()"), 1}});
}

// Memory that is read past the caches stays as it is while the kernel runs.
TEST(Library, ReadOnlyReadsOfWhatTheKernelWrites) {
  const std::string nc =
                        "int v; asm volatile(\"ld.global.nc.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(&d[g ^ 1])); o[g] = v;",
                    ldg = "o[g] = __ldg(&d[g ^ 1]);", plain = "o[g] = d[g ^ 1];", other = "o[g] = __ldg(&x[g ^ 1]);",
                    write = "d[g] = t; __syncthreads(); ";
  const auto text = [](const std::string& body) { return kernel("", "int *d, int *o, const int *x", body); };
  constexpr const char* k_says = "read past the caches (__ldg, ld.global.nc, of a surface) finds of 'd'";
  decide_all({{text(write + nc), 3, k_says},
              {text(write + ldg), 3, k_says},
              {text("int v = __ldg(&d[g]); __syncthreads(); d[g ^ 1] = v; o[g] = v;"), 3, k_says},
              {text("d[g] = t; " + ldg), 1, "race on d["},
              {text("d[g] = t; o[g] = __ldg(&d[g]);"), 3, k_says},
              {text(write + plain), 0},
              {text(write + other), 0},
              {text("atomicAdd(&d[0], 1); o[g] = __ldg(&d[1]);"), 3, k_says}});
  const std::string wide = "struct V { int a, b; };\n";
  decide_all({{kernel(wide, "V *d, V *o", "  d[g].a = t; __syncthreads(); o[g] = __ldg(&d[g ^ 1]);"), 3, k_says},
              {kernel(wide, "const V *d, V *o", "  o[g] = __ldg(&d[g ^ 1]);"), 0}});
}

// A surface gives undefined data where this launch has written before, behind any barrier; to write what was read is
// right.
TEST(Library, SurfacesAreReadBeforeTheyAreWritten) {
  const auto text = [](const std::string& body) { return kernel("", "cudaSurfaceObject_t s, int *o, int n", body); };
  constexpr const char* k_says =
      "read past the caches (__ldg, ld.global.nc, of a surface) finds of 'the memory of surfaces'";
  const std::string read = "int v = surf1Dread<int>(s, (g ^ 1) * 4); ", own = "int v = surf1Dread<int>(s, g * 4); ",
                    write = "surf1Dwrite(g, s, g * 4); ", sync = "__syncthreads(); ";
  decide_all({{text(write + sync + read + "o[g] = v;"), 3, k_says},
              {text(read + sync + write + "o[g] = v;"), 0},
              {text(own + "surf1Dwrite(v + 1, s, g * 4);"), 0},
              {text(read + write + "o[g] = v;"), 1},
              {text("for (int i = 0; i < n; i++) { " + read + sync + write + sync + "o[g] = v; }"), 3},
              {text(write + "__threadfence(); atomicAdd(o, 1); " + own + "o[g + 1] = v;"), 3}});
}

}  // namespace
}  // namespace fencepost::verifier
