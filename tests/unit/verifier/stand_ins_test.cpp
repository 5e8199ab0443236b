// What the stand-in headers promise of library functions, and what a run may say against a proof that assumes.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> launch;
  std::string text;
  int exit_code;
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse(c.launch);
    ASSERT_TRUE(o) << c.name;
    const launch::Answer a = answer(*o, make_source(c.name, c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
  }
}

TEST(StandIns, StorageOfABlockPrimitiveIsTheWholeOfIt) {
  const auto kernel = [](const std::string& before, const std::string& after) {
    return "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::BlockReduce<int, 128> R;"
           "__shared__ union { typename R::TempStorage t; int s[128]; } u; u.s[threadIdx.x] = threadIdx.x; int v = 1;" +
           before + "int r = R(u.t).Sum(v);" + after + "if (threadIdx.x == 0) o[blockIdx.x] = r; }";
  };
  const std::vector<std::string> launch{"--blockDim=128", "--gridDim=2"};
  decide({{"apart.cu", launch, kernel("__syncthreads();", ""), 0},
          {"before.cu", launch, kernel("", ""), 1},
          {"after.cu", launch, kernel("__syncthreads();", "u.s[threadIdx.x] = 2;"), 1}});
}

TEST(StandIns, MatrixFunctionsAreForWholeWarps) {
  const auto kernel = [](const std::string& when) {
    return "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(float *o) { "
           "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; wmma::fill_fragment(f, 0.0f);" +
           when + " wmma::store_matrix_sync(o + 256 * blockIdx.x, f, 16, wmma::mem_row_major); }";
  };
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=2"};
  decide({{"warp.cu", launch, kernel(""), 0}, {"half.cu", launch, kernel("if (threadIdx.x < 16)"), 1}});
}

// The loop runs five times, so that the counter wraps; that it does not is only assumed, and a run shows that it does.
TEST(StandIns, AnAssumptionThatARunContradictsIsARace) {
  decide({{"wraps.cu",
           {"--blockDim=16", "--gridDim=1"},
           "__global__ void k(int *o, unsigned *c) { int i = 0; "
           "do { o[atomicAdd(c, 1u << 26)] = threadIdx.x; } while (i++ < 4); }",
           1}});
}

}  // namespace
}  // namespace fencepost::verifier
