// What an edge rests on, by class: the order of a fence, the memory that it is about, what a barrier of a warp makes
// known. Each right form is verified, and the nearest wrong ones are not.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

int decided(const char* file, const std::string& text, std::vector<std::string> words) {
  const auto o = launch::parse(words);
  EXPECT_TRUE(o);
  return answer(*o, make_source(file, text)).exit_code;
}
int cuda(const std::string& text, const std::string& grid) {
  return decided("k.cu", text, {"--blockDim=64", "--gridDim=" + grid});
}
int opencl(const std::string& text) {
  return decided("k.cl", text, {"--local_size=64", "--num_groups=4", "--std=CL2.0"});
}

class Evidence : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

// A turn is handed on by who has taken it: the fence between acquires and releases.
TEST_F(Evidence, fences_that_hand_a_turn_on) {
  const auto turns = [](const std::string& first, const std::string& second) {
    const auto fence = [](const std::string& order) {
      return order.empty() ? ""
                           : "cuda::atomic_thread_fence(cuda::memory_order_" + order + ", cuda::thread_scope_device);";
    };
    return "#include <cuda/atomic>\n__global__ void k(int *turn, int *c) { if (threadIdx.x == 0) {"
           "cuda::atomic_ref<int, cuda::thread_scope_device> f(*turn);"
           "while (f.load(cuda::memory_order_relaxed) != blockIdx.x);" +
           fence(first) + "c[0] += 1;" + fence(second) + "f.store(blockIdx.x + 1, cuda::memory_order_relaxed); } }";
  };
  EXPECT_EQ(cuda(turns("acq_rel", "acq_rel"), "4"), 0);
  EXPECT_EQ(cuda(turns("seq_cst", "seq_cst"), "4"), 0);
  EXPECT_NE(cuda(turns("release", "acq_rel"), "4"), 0);
  EXPECT_NE(cuda(turns("acq_rel", "acquire"), "4"), 0);
  EXPECT_NE(cuda(turns("acquire", "acquire"), "4"), 0);
  EXPECT_NE(cuda(turns("", "acq_rel"), "4"), 0);
  EXPECT_NE(cuda(turns("acq_rel", ""), "4"), 0);
}

// OpenCL has two orders: a lock in global memory says nothing of local memory, and the other way round.
TEST_F(Evidence, locks_order_the_memory_that_they_lie_in) {
  const auto locked = [](const std::string& space, const std::string& lock, const std::string& what,
                         const std::string& acquire = "acquire") {
    return "__kernel void k(__" + space +
           " atomic_flag *lock, __global int *total, int n) { __local int s; bool done = false; while (!done) { if "
           "(!atomic_flag_test_and_set_explicit(" +
           lock + ", memory_order_" + acquire + ", memory_scope_device)) { " + what +
           " += n; atomic_flag_clear_explicit(" + lock +
           ", memory_order_release, memory_scope_device); done = true; } } }";
  };
  EXPECT_EQ(opencl(locked("global", "lock + get_group_id(0)", "total[get_group_id(0)]")), 0);
  EXPECT_EQ(opencl(locked("local", "lock", "s")), 0);
  EXPECT_NE(opencl(locked("global", "lock + get_group_id(0)", "s")), 0);
  EXPECT_NE(opencl(locked("local", "lock", "total[get_group_id(0)]")), 0);
  EXPECT_NE(opencl(locked("global", "lock + get_group_id(0)", "total[get_group_id(0)]", "relaxed")), 0);
}

// What a thread knew of shared memory before a barrier of its warp, another lane may have changed.
TEST_F(Evidence, lanes_see_what_others_wrote) {
  const auto lanes = [](const std::string& space, const std::string& place) {
    return "__global__ void k(int *a, int *g) { __shared__ int s[64]; int t = threadIdx.x; int *p = " + space +
           "; p[t] = 0; __syncwarp(); p[t ^ 1] = 1; __syncwarp(); a[" + place + "] = t; }";
  };
  for (const std::string space : {"s", "g"}) {
    EXPECT_NE(cuda(lanes(space, "p[t] == 0 ? t : 0"), "1"), 0) << space;
    EXPECT_EQ(cuda(lanes(space, "t"), "1"), 0) << space;
  }
}

}  // namespace
}  // namespace fencepost::verifier
