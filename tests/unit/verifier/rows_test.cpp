// The answer about a CUDA file with host code: a row for each kernel and launch.
#include "verifier/rows.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

class Rows : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

launch::Answer ask(std::vector<std::string> words, const std::string& text) {
  const auto o = launch::parse(words);
  EXPECT_TRUE(o) << (o ? "" : render(o.error()));
  return answer(*o, make_source("k.cu", text));
}

const std::string k_two =
    "__global__ void fine(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
    "__global__ void race(int *a) { a[0] = threadIdx.x; }\n"
    "int main(int argc, char **argv) {\n"
    "  int *d = 0;\n"
    "  fine<<<argc, 64>>>(d);\n"
    "  race<<<1, 1>>>(d);\n"
    "  race<<<1, 32>>>(d);\n"
    "}\n";

// Headers of a toolkit have kernels of their own, which are read and not asked about.
TEST_F(Rows, KernelsOfAToolkitDoNotHideThoseThatAreNotRead) {
  const char* toolkit = std::getenv("FENCEPOST_CUDA_PATH");
  if (toolkit == nullptr || *toolkit == 0) GTEST_SKIP() << "FENCEPOST_CUDA_PATH names no toolkit";
  const launch::Answer a =
      ask({"--json", "--cuda-arch=900", std::string("--cuda-path=") + toolkit},
          "#include <cub/cub.cuh>\n__global__ void odd(int *a) { asm volatile(\"brkpt;\"); a[0] = 1; }\n");
  EXPECT_EQ(a.exit_code, 3) << a.out;
  const auto said = nlohmann::json::parse(a.out);
  ASSERT_EQ(said["kernels"].size(), 1u) << a.out;
  EXPECT_EQ(said["kernels"][0]["verdict"], "not_read");
  EXPECT_NE(a.out.find("brkpt"), std::string::npos) << a.out;
}

TEST_F(Rows, each_kernel_is_asked_about_at_each_of_its_launches) {
  const auto a = ask({}, k_two);
  EXPECT_EQ(a.exit_code, 1) << a.err;
  EXPECT_NE(a.out.find("  fine  verified  blockDim=64, gridDim=*  at k.cu:5:3\n"
                       "  race  verified  blockDim=1, gridDim=1  at k.cu:6:3\n"
                       "  race  1 error  blockDim=32, gridDim=1  at k.cu:7:3\n"),
            std::string::npos)
      << a.out;
}

TEST_F(Rows, options_override_the_source_and_say_so) {
  const auto a = ask({"--blockDim=128", "--gridDim=2", "--entry=fine"}, k_two);
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_NE(a.err.find("k.cu:5:3: the source launches 'fine' with blockDim=64, and the options say 128\n"),
            std::string::npos)
      << a.err;
  // What an option leaves open comes from the source.
  const auto b = ask({"--blockDim=32", "--entry=race"}, k_two);
  EXPECT_EQ(b.exit_code, 1) << b.err;
  EXPECT_NE(b.out.find("  race  1 error  blockDim=32, gridDim=1  at k.cu:6:3, k.cu:7:3\n"), std::string::npos) << b.out;
}

TEST_F(Rows, a_kernel_that_is_not_read_is_a_row_and_is_never_verified) {
  const auto a = ask({},
                     "__global__ void fine(int *a) { a[threadIdx.x] = 1; }\n"
                     "__global__ void bad(int *a) { a[0] = missing_name; }\n"
                     "int main() { fine<<<1, 8>>>(0); bad<<<1, 8>>>(0); }\n");
  EXPECT_EQ(a.exit_code, 3) << a.err;
  EXPECT_NE(a.err.find("k.cu:2:38: not read: 'bad': use of undeclared identifier 'missing_name'"), std::string::npos)
      << a.err;
  const auto j =
      nlohmann::json::parse(ask({"--format=json"}, "__global__ void bad(int *a) { a[0] = missing_name; }\n").out);
  EXPECT_EQ(j["answer"], "bad_input");
  EXPECT_EQ(j["kernels"][0]["verdict"], "not_read");
  EXPECT_EQ(j["kernels"][0]["at"], "k.cu:1:17");
}

TEST_F(Rows, a_kernel_without_a_launch_is_asked_about_any_size) {
  const auto a = ask({},
                     "__global__ void k(int *a, int w) {\n"
                     "  a[(blockIdx.y * blockDim.y + threadIdx.y) * w] = threadIdx.x;\n}\n");
  EXPECT_EQ(a.exit_code, 1) << a.err;
  EXPECT_NE(a.out.find("blockDim=[*,*], gridDim=[*,*]  (any size: no launch is in the file)"), std::string::npos)
      << a.out;
}

TEST_F(Rows, two_parameters_that_the_host_gives_one_array_are_not_proved_apart) {
  const std::string text = "__global__ void k(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n";
  const std::string made = "int main() { int *p, *q; cudaMalloc(&p, 256); cudaMalloc(&q, 256); ";
  EXPECT_EQ(ask({}, text + made + "k<<<1, 32>>>(p, q); }\n").exit_code, 0);
  const auto a = ask({}, text + made + "k<<<1, 32>>>(p, p); }\n");
  EXPECT_EQ(a.exit_code, 3) << a.out << a.err;
  EXPECT_NE(a.err.find("gives 'a' and 'b' places that may be of one array"), std::string::npos) << a.err;
}

TEST_F(Rows, arguments_of_the_host_are_those_of_the_question) {
  const std::string text = "__global__ void k(int *a, int n) { a[threadIdx.x * n] = threadIdx.x; }\n";
  EXPECT_EQ(ask({}, text + "int main() { k<<<1, 32>>>(0, 1); }\n").exit_code, 0);
  EXPECT_EQ(ask({}, text + "int main() { k<<<1, 32>>>(0, 0); }\n").exit_code, 1);
  EXPECT_EQ(ask({}, text + "int main(int n, char**) { k<<<1, 32>>>(0, n); }\n").exit_code, 1);
}

TEST_F(Rows, models_of_what_threads_of_a_warp_do_together) {
  // A store of a matrix writes each element once, so two warps that store to one place have a race, and one has none.
  const std::string text =
      "#include <mma.h>\n"
      "using namespace nvcuda;\n"
      "__global__ void k(float *c) {\n"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;\n"
      "  wmma::fill_fragment(f, (float)(threadIdx.x / 32));\n"
      "  wmma::store_matrix_sync(c, f, 16, wmma::mem_row_major);\n"
      "}\n";
  EXPECT_NE(ask({"--blockDim=64", "--gridDim=1"}, text).exit_code, 0);
  const auto one = ask({"--blockDim=32", "--gridDim=1"}, text);
  EXPECT_EQ(one.exit_code, 0) << one.out << one.err;
  const auto cub = [](const std::string& between) {
    return ask({"--blockDim=64", "--gridDim=1"},
               "#include <cub/cub.cuh>\n"
               "__global__ void k(int *a) {\n"
               "  typedef cub::BlockReduce<int, 64> R;\n"
               "  __shared__ typename R::TempStorage s;\n"
               "  int x = R(s).Sum(a[threadIdx.x]);\n" +
                   between +
                   "  int y = R(s).Sum(x);\n"
                   "  if (threadIdx.x == 0) a[64] = y;\n"
                   "}\n")
        .exit_code;
  };
  EXPECT_EQ(cub("  __syncthreads();\n"), 0);
  EXPECT_EQ(cub(""), 1);
}

// Another file may have its own `block`, that gives another size.
TEST_F(Rows, a_weak_function_gives_no_size) {
  const std::string rest =
      "int block() { return 1; }\n__global__ void k(int *o) { o[0] = threadIdx.x; }\n"
      "void go(int *o) { k<<<1, block()>>>(o); }\n";
  EXPECT_EQ(ask({}, rest).exit_code, 0);
  EXPECT_EQ(ask({}, "__attribute__((weak)) " + rest).exit_code, 1);
}

TEST_F(Rows, what_has_no_model_is_not_read_by_name) {
  for (const char* body : {"cooperative_groups::this_multi_grid().sync();", "a = (int *)malloc(4);"}) {
    const auto a = ask({"--blockDim=64", "--gridDim=1"},
                       std::string("#include <cuda/barrier>\n__global__ void k(int *a) { ") + body + " a[0] = 1; }\n");
    EXPECT_EQ(a.exit_code, 3) << body << "\n" << a.out << a.err;
  }
}

}  // namespace
}  // namespace fencepost::verifier
