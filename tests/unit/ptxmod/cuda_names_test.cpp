// Names of cells go out and come back: CUDA C++. OpenCL C and GLSL: tests/unit/shader/cell_names_test.cpp.
#include <gtest/gtest.h>

#include "../shader/random_names.h"
#include "base/kernel_library.h"
#include "ptxmod/cuda_cpp.h"

namespace {

using namespace fencepost;

class CudaNames : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernel_library()) GTEST_SKIP() << "this build has no kernel library";
  }
  static Expected<prog::Test> read(const std::string& text, const spirv::LaunchOptions& options) {
    return ptxmod::parse_cuda_cpp(make_source("k.cu", text), options);
  }
};

TEST_F(CudaNames, ComeBack) {
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= 8 && !HasFailure(); ++seed)  // a reading compiles
    asked += names_test::names_come_back(read, names_test::Program(names_test::Language::cuda, seed).text(), {}, 6);
  EXPECT_GT(asked, 40u);
}

TEST_F(CudaNames, OfBlocksAndPiecesComeBack) {
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{.workgroups = {2, 1, 1}};
  EXPECT_GE(names_test::names_come_back(
                read,
                "struct S { int a; int b[2]; };\n__global__ void k(int* x) {\n  __shared__ S tile[2];\n"
                "  tile[threadIdx.x].b[1] = 3; x[1] = tile[1].a;\n}\n",
                launch),
            12u);
  EXPECT_GT(names_test::names_come_back(read,
                                        "// @Input: x = {1, 2}\n__global__ void k(int* x, int n) {\n"
                                        "  ((char*)x)[n & 7] = 3; x[0] = 1;\n}\n"),
            7u);
}

}  // namespace
