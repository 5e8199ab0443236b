// The headers of a CUDA toolkit in the place of our own. FENCEPOST_CUDA_PATH names one (12.9 is what was tried);
// without it these tests are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "clangfe/clangfe.h"
#include "ir/print.h"

namespace fencepost::clangfe {
namespace {

class RealHeaders : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without clang 19";
    const char* path = std::getenv("FENCEPOST_CUDA_PATH");
    if (path == nullptr || *path == 0) GTEST_SKIP() << "FENCEPOST_CUDA_PATH names no toolkit";
    path_ = path;
  }
  Unit unit(const std::string& text) {
    Options o;
    o.dialect = ir::Dialect::cuda;
    o.pointer_bits = 64;
    o.cuda_arch = 900;
    o.cuda_path = path_;
    o.cuda_version = 12090;
    auto u = read(make_source("k.cu", text), o);
    EXPECT_TRUE(u) << (u ? "" : render(u.error()));
    return u ? std::move(*u) : Unit{};
  }
  // "name: message at line" of a kernel that was not read, "name" of one that was.
  static std::string states(const Unit& u) {
    std::string out;
    for (const HostKernel& k : u.kernels)
      out += (out.empty() ? "" : "\n") +
             (k.not_read ? k.name + ": " + k.not_read->message + " at " + k.not_read->span.location() : k.name);
    return out;
  }
  // "load acquire device; ..." of all atomic operations, "fence order scope", "barrier scope".
  static std::string synchronisation(const Unit& u) {
    std::string out;
    const auto add = [&](const std::string& s) { out += (out.empty() ? "" : "; ") + s; };
    const auto order = [](ir::Order o) {
      return std::string(o == ir::Order::relaxed   ? "relaxed"
                         : o == ir::Order::acquire ? "acquire"
                         : o == ir::Order::release ? "release"
                         : o == ir::Order::acq_rel ? "acq_rel"
                         : o == ir::Order::seq_cst ? "seq_cst"
                                                   : "none");
    };
    const auto scope = [](ir::Scope s) {
      return std::string(s == ir::Scope::warp     ? "warp"
                         : s == ir::Scope::group  ? "block"
                         : s == ir::Scope::device ? "device"
                         : s == ir::Scope::system ? "system"
                                                  : "other");
    };
    for (const ir::Function& f : u.module.functions)
      for (const ir::Block& b : f.blocks)
        for (const ir::Instruction& i : b.instructions) {
          if (const auto* a = std::get_if<ir::Atomic>(&i.action))
            add(std::string(a->op == ir::AtomicOp::load               ? "load"
                            : a->op == ir::AtomicOp::store            ? "store"
                            : a->op == ir::AtomicOp::add              ? "add"
                            : a->op == ir::AtomicOp::compare_exchange ? "cas"
                                                                      : "atomic") +
                " " + order(a->order) + " " + scope(a->scope));
          if (const auto* a = std::get_if<ir::Fence>(&i.action)) add("fence " + scope(a->scope));
          if (const auto* a = std::get_if<ir::Barrier>(&i.action)) add("barrier " + scope(a->scope));
        }
    return out;
  }

  std::string path_;
};

TEST_F(RealHeaders, atomics_of_libcupp_are_their_inline_ptx) {
  const Unit u = unit(
      "#include <cuda/atomic>\n"
      "__global__ void k(int *flag, int *data) {\n"
      "  cuda::atomic_ref<int, cuda::thread_scope_device> a(*flag);\n"
      "  if (threadIdx.x == 0) { *data = 1; a.store(1, cuda::memory_order_release); }\n"
      "  else while (a.load(cuda::memory_order_acquire) == 0) {}\n"
      "  cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).fetch_add(2, cuda::memory_order_relaxed);\n"
      "  int e = 0;\n"
      "  a.compare_exchange_strong(e, 3, cuda::memory_order_acq_rel);\n"
      "  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_system);\n"
      "}\n");
  EXPECT_EQ(states(u), "k");
  EXPECT_EQ(synchronisation(u),
            "load acquire device; store release device; add relaxed block; cas acq_rel device; fence system");
}

TEST_F(RealHeaders, an_order_that_is_not_constant_keeps_all_its_instructions) {
  const Unit u = unit(
      "#include <cuda/atomic>\n"
      "__global__ void k(int *flag, bool strong) {\n"
      "  cuda::atomic_ref<int, cuda::thread_scope_device> a(*flag);\n"
      "  a.store(1, strong ? cuda::memory_order_release : cuda::memory_order_relaxed);\n"
      "}\n");
  EXPECT_EQ(states(u), "k");
  const std::string all = synchronisation(u);
  EXPECT_NE(all.find("store release device"), std::string::npos) << all;
  EXPECT_NE(all.find("store relaxed device"), std::string::npos) << all;
}

TEST_F(RealHeaders, groups_are_barriers_of_their_scope) {
  const Unit u = unit(
      "#include <cooperative_groups.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__global__ void k(int *a) {\n"
      "  auto block = cg::this_thread_block();\n"
      "  auto tile = cg::tiled_partition<32>(block);\n"
      "  block.sync();\n"
      "  tile.sync();\n"
      "  cg::this_grid().sync();\n"
      "  a[block.thread_rank()] = tile.shfl_down(a[0], 1);\n"
      "}\n");
  EXPECT_EQ(states(u), "k");
  EXPECT_EQ(synchronisation(u), "barrier block; barrier warp; barrier device");
}

TEST_F(RealHeaders, built_in_functions_are_those_of_our_own_header) {
  const Unit u = unit(
      "#include <cassert>\n"
      "__global__ void k(int *a, float *f, unsigned long long *w) {\n"
      "  atomicAdd(a, 1); atomicAdd(f, 1.0f); atomicMax_block(a, 2); atomicCAS_system(w, 1ull, 2ull);\n"
      "  float s, c; sincosf(f[1], &s, &c);\n"
      "  f[2] = s + c + fminf(__expf(s), rsqrtf(c)) + __ldg(f + 3);\n"
      "  a[3] = min(a[4], 5) + __popc(a[5]) + __clz(a[6]) + __syncthreads_count(a[7]) + __any_sync(~0u, a[8]);\n"
      "  assert(a[9] == 0);\n"
      "  __threadfence();\n"
      "}\n");
  EXPECT_EQ(states(u), "k");
  EXPECT_EQ(synchronisation(u),
            "add relaxed device; atomic relaxed device; atomic relaxed block; cas relaxed system; barrier block; "
            "fence device");
}

TEST_F(RealHeaders, an_instruction_without_a_model_makes_its_row_not_read_by_name_and_line) {
  const Unit u = unit(
      "#include <cuda_awbarrier_primitives.h>\n"
      "#include <cooperative_groups.h>\n"
      "__global__ void arrives(int *a) {\n"
      "  __shared__ __mbarrier_t bar;\n"
      "  if (threadIdx.x == 0) __mbarrier_init(&bar, blockDim.x);\n"
      "  __syncthreads();\n"
      "  __mbarrier_arrive(&bar);\n"
      "  a[threadIdx.x] = 1;\n"
      "}\n"
      "__global__ void tiles(int *a) {\n"
      "  auto b = cooperative_groups::this_thread_block();\n"
      "  auto t = cooperative_groups::tiled_partition<64>(b);\n"
      "  t.sync();\n"
      "  a[threadIdx.x] = 1;\n"
      "}\n"
      "__global__ void fine(int *a) { a[threadIdx.x] = 1; }\n");
  const std::string all = states(u);
  EXPECT_NE(all.find("mbarrier."), std::string::npos) << all;
  EXPECT_NE(all.find("tiles: the shared memory that the driver keeps for tiles of several warps is not supported"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("\nfine"), std::string::npos) << all;
  EXPECT_EQ(all.find(path_), std::string::npos) << "places are the user's\n" << all;
}

TEST_F(RealHeaders, launches_and_host_code_are_read_with_the_hosts_own_library) {
  const Unit u = unit(
      "#include <vector>\n"
      "#include <cstdio>\n"
      "template <int N> __global__ void k(float *a) { a[blockIdx.x * N + threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  std::vector<float> host(1024);\n"
      "  float *d; cudaMalloc(&d, host.size() * sizeof(float));\n"
      "  int blocks = 8, size = min(blocks * 16, 256);\n"
      "  cudaFuncAttributes attributes;\n"
      "  cudaFuncGetAttributes(&attributes, k<128>);\n"
      "  k<128><<<blocks, size>>>(d);\n"
      "  printf(\"%f\\n\", host[0]);\n"
      "}\n");
  ASSERT_EQ(states(u), "k<128>");
  ASSERT_EQ(u.kernels[0].launches.size(), 1u);
  EXPECT_EQ(u.kernels[0].launches[0].grid[0], 8u);
  EXPECT_EQ(u.kernels[0].launches[0].block[0], 128u);
}

TEST_F(RealHeaders, annotations_stand_beside_the_c_librarys_own_names) {
  const Unit u = unit(
      "#include <cassert>\n"
      "__global__ void k(int *a, int n) {\n"
      "  __requires(n > 4);\n"
      "  __assert(n > 3);\n"
      "  a[threadIdx.x] = 1;\n"
      "}\n");
  EXPECT_EQ(states(u), "k");
}

}  // namespace
}  // namespace fencepost::clangfe
