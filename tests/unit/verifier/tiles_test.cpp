// Matrix functions of warps (CUDA C++ programming guide, "Warp matrix functions"): all threads of the warp call them,
// with the same pointer, leading dimension and layout.
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

const std::string k_head =
    "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(const half *in, float *o, int n) {"
    "int t = threadIdx.x, w = t / 32 + blockDim.x / 32 * blockIdx.x;"
    "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;"
    "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;"
    "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::fill_fragment(c, 0.f);";
const char* const k_store = "wmma::store_matrix_sync(o + 256 * w, c, 16, wmma::mem_row_major);";

std::string kernel(const std::string& body) { return k_head + body + "}\n"; }

TEST(Tiles, AreForWholeWarps) {
  const auto when = [](const std::string& condition) { return kernel(condition + k_store); };
  decide({{"warps.cu", {"--blockDim=64", "--gridDim=2"}, kernel(k_store), 0},
          {"half.cu", {"--blockDim=32", "--gridDim=2"}, when("if (t < 16)"), 1},
          {"one_and_a_half.cu", {"--blockDim=48", "--gridDim=2"}, kernel(k_store), 1},
          {"part.cu", {"--blockDim=16", "--gridDim=2"}, kernel(k_store), 1},
          {"plane.cu", {"--blockDim=[8,6]", "--gridDim=[2,1]"}, kernel(k_store), 1},
          {"ended.cu", {"--blockDim=64", "--gridDim=2"}, when("if (t >= 40) return;"), 1},
          {"one_warp.cu", {"--blockDim=64", "--gridDim=2"}, when("if (t >= 32) return;"), 0},
          {"lock_step.cu", {"--blockDim=64", "--gridDim=2", "--warp-sync=32"}, when("if (t % 2)"), 1},
          {"lock_step_whole.cu", {"--blockDim=64", "--gridDim=2", "--warp-sync=32"}, kernel(k_store), 0},
          {"rounds.cu", {"--blockDim=64", "--gridDim=2"}, when("for (int i = 0; i < n; i++)"), 0},
          {"rounds_of_some.cu", {"--blockDim=64", "--gridDim=2"}, when("for (int i = 0; i < t % 3; i++)"), 1},
          {"loads.cu", {"--blockDim=32", "--gridDim=2"}, kernel("if (t & 1) wmma::load_matrix_sync(a, in, 16);"), 1},
          {"products.cu",
           {"--blockDim=32", "--gridDim=2"},
           kernel("wmma::load_matrix_sync(a, in, 16); wmma::load_matrix_sync(b, in, 16);"
                  "if (in[t] > (half)0.f) wmma::mma_sync(c, a, b, c);"),
           1}});
}

TEST(Tiles, HaveOnePointerAndOneDimension) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=2"},
      in_step{"--blockDim=64", "--gridDim=2", "--warp-sync=32"};
  const auto store = [](const std::string& at, const std::string& dimension, const std::string& layout) {
    return kernel("wmma::store_matrix_sync(" + at + ", c, " + dimension + ", " + layout + ");");
  };
  const std::string row = "wmma::mem_row_major";
  for (const auto& l : {launch, in_step})
    decide(
        {{"pointer.cu", l, store("o + 1024 * w + 256 * (t % 2)", "16", row), 1},
         {"dimension.cu", l, store("o + 1024 * w", "16 + 16 * (t % 2)", row), 1},
         {"layout.cu", l, store("o + 1024 * w", "16", "t % 2 ? wmma::mem_col_major : wmma::mem_row_major"), 1},
         {"known_at_run_time.cu", l, store("o + 1024 * w", "16", "n ? wmma::mem_col_major : wmma::mem_row_major"), 0},
         {"load.cu", l, kernel("wmma::load_matrix_sync(a, in + t, 16);"), 1},
         {"load_dimension.cu", l, kernel("wmma::load_matrix_sync(a, in, t);"), 1},
         {"load_same.cu", l, kernel("wmma::load_matrix_sync(a, in + 256 * w, n);"), 0}});
}

// Of a launch that is not known it is taken for granted, and said.
TEST(Tiles, InBlocksOfAnySize) {
  decide({{"any.cu", {}, kernel(k_store), 0},
          {"strict.cu", {"--strict"}, kernel(k_store), 3},
          {"half.cu", {}, kernel(std::string("if (t < 16)") + k_store), 1},
          {"host.cu", {}, kernel(k_store) + "int main() { k<<<2, 40>>>(0, 0, 1); }", 1}});
  if (!clangfe::available()) return;
  const auto o = launch::parse({});
  const launch::Answer a = answer(*o, make_source("any.cu", kernel(k_store)));
  EXPECT_NE((a.out + a.err).find("blocks are whole warps"), std::string::npos) << a.out << a.err;
}

// store_matrix_sync waits for all lanes and then stores (CUDA's guide), so that what they have read before is read. PTX
// promises no order of memory there, and nobody that what lanes have written before is seen, or what is stored.
TEST(Tiles, WhatLanesReadBeforeAStoreOfTheirMatrix) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto said = [](const std::string& words, const std::string& first, const std::string& behind) {
    std::vector<std::string> all{"--blockDim=64", "--gridDim=2"};
    if (!words.empty()) all.push_back(words);
    return answer(*launch::parse(all),
                  make_source("k.cu",
                              "#include <mma.h>\nusing namespace nvcuda;\n"
                              "__global__ void k(float *o) { __shared__ float s[512]; unsigned t = threadIdx.x;"
                              "float *tile = s + 256 * (t / 32);"
                              "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::fill_fragment(c, 0.f);"
                              "for (int i = 0; i < 4; ++i) {" +
                                  first + "wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);" + behind +
                                  "for (int j = 0; j < 8; ++j)"
                                  " o[2048 * blockIdx.x + 512 * i + 256 * (t / 32) + 8 * (t % 32) + j] ="
                                  " tile[8 * (t % 32) + j]; } }"));
  };
  const std::string sync = "__syncwarp();", named = "read before store_matrix_sync";
  const launch::Answer as_it_is = said("", "", sync), ordered = said("--strict", sync, sync);
  EXPECT_EQ(as_it_is.exit_code, 0) << as_it_is.out << as_it_is.err;
  EXPECT_NE(as_it_is.err.find("assumes that what the lanes of a warp " + named), std::string::npos) << as_it_is.err;
  for (const std::string words : {"--strict", "--model=ptx"}) {
    const launch::Answer a = said(words, "", sync);
    EXPECT_EQ(a.exit_code, 3) << words << a.out << a.err;
    EXPECT_NE((a.out + a.err).find(named), std::string::npos) << words << a.out << a.err;
  }
  // With a barrier of the warp nothing of it is needed.
  EXPECT_EQ((ordered.out + ordered.err).find(named), std::string::npos) << ordered.out << ordered.err;
  EXPECT_EQ(said("--model=ptx", sync, sync).exit_code, 0);
  // What is stored is not seen without a barrier; and what lanes write before is not ordered.
  EXPECT_EQ(said("", sync, "").exit_code, 1);
  EXPECT_EQ(said("", sync + "tile[255 - t % 32] = 1.f;", sync).exit_code, 1);
}

}  // namespace
}  // namespace fencepost::verifier
