// A lane that takes for its warp and gives it on by a shuffle, and matrix functions in blocks of which some threads are
// no whole warp (prove/barrier.cpp: led, tile).
#include "scenes.h"

namespace fencepost::verifier {
namespace {

TEST(Leaders, what_one_lane_takes_for_its_warp) {
  const std::string head =
      "__global__ void k(int *o, unsigned *c, const unsigned *w, int n) { unsigned t = threadIdx.x, lane = t & 31, b = "
      "0; ";
  rows(head,
       {
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane] = t;", 0},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + 31 - lane] = t;", 0},
           {"if (lane == 0) b = atomicAdd(c, 31); b = __shfl_sync(~0u, b, 0); o[b + lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane / 2] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + 2 * lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 64); b = __shfl_sync(~0u, b, 0); o[b + 2 * lane] = t;", 0},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane] = t;", 0, "", "32"},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane] = t;", 0, "", "1024"},
           // Another lane than the one that took; the last one; one of each half.
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 1); o[b + lane] = t;", 1},
           {"if (lane == 31) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 31); o[b + lane] = t;", 0},
           {"if (lane == 5) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 5); o[b + lane] = t;", 0},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0, 16); o[b + lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, lane & 1); o[b + lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_up_sync(~0u, b, 0); o[b + lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_xor_sync(~0u, b, 0); o[b + lane] = t;", 1},
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_down_sync(~0u, b, 0); o[b + lane] = t;", 1},
           // One thread of the block takes, and gives it to its warp alone.
           {"if (t == 0) b = atomicAdd(c, 64); b = __shfl_sync(~0u, b, 0); if (t < 32) o[b + lane] = t;", 0},
           // Who has left gives nothing.
           {"if (lane == 0) b = atomicAdd(c, 32); if (lane == 0) return; b = __shfl_sync(~0u, b, 0); o[b + lane] = t;",
            1},
           {"if (n == 3) return; if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane] = t;", 0},
           // As many as there are in a table.
           {"if (lane == 0) b = atomicAdd(c, w[t / 32] & 31); b = __shfl_sync(~0u, b, 0); if (lane <= (w[t / 32] & "
            "31)) o[b + lane] = t;",
            1},
           {"if (lane == 0) b = atomicAdd(c, w[t] & 31); b = __shfl_sync(~0u, b, 0); if (lane < (w[t] & 31)) o[b + "
            "lane] = t;",
            1},
           // Two of them, one after the other.
           {"if (lane == 0) b = atomicAdd(c, 32); b = __shfl_sync(~0u, b, 0); o[b + lane] = t; unsigned d = 0;"
            "if (lane == 0) d = atomicAdd(c, 16); d = __shfl_sync(~0u, d, 0); o[d + lane] = t;",
            1},
           // By addition of what each computes.
           {"b = 32 * (t / 32); b = __shfl_sync(~0u, b, 0); o[64 * blockIdx.x + b + lane] = t;", 0},
           {"b = 32 * (t / 64); b = __shfl_sync(~0u, b, 0); o[64 * blockIdx.x + b + lane] = t;", 1},
           {"b = t; b = __shfl_sync(~0u, b, 3); o[64 * blockIdx.x + b - 3 + lane] = t;", 0},
           {"b = t; b = __shfl_sync(~0u, b, 3); o[64 * blockIdx.x + (b & 32) + lane] = t;", 0},
           {"b = t; b = __shfl_sync(~0u, b, 3); if (b != 3 && b != 35) o[0] = t;", 0},
           {"b = t; b = __shfl_sync(~0u, b, 3); if (b == 3 || b == 34) o[0] = t;", 1},
       });
}

TEST(Leaders, matrices_of_the_whole_warps_of_a_block) {
  const std::string head =
      "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(float *o, int n) { unsigned t = threadIdx.x + "
      "blockDim.x * (threadIdx.y + "
      "blockDim.y * threadIdx.z), w = t / 32 + 8 * blockIdx.x; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; "
      "wmma::fill_fragment(c, 0.f); ";
  const std::string store = "wmma::store_matrix_sync(o + 256 * w, c, 16, wmma::mem_row_major);";
  rows(head,
       {{"", 1, "", "48"},
        {"if (t < 32) ", 0, "", "48"},
        {"if (t < 33) ", 1, "", "48"},
        {"if (t >= 32) ", 1, "", "48"},
        {"if (t < 31) ", 1, "", "48"},
        {"if (t >= 32) ", 0, "", "64"},
        {"if (t < 64) ", 0, "", "80"},
        {"if (t < 96) ", 1, "", "80"},
        {"", 1, "", "[8,6]"},
        {"if (threadIdx.y < 4) ", 0, "", "[8,6]"},
        {"if (threadIdx.y < 5) ", 1, "", "[8,6]"},
        {"", 0, "", "[8,8]"},
        {"", 1, "", "[8,3,2]"},
        {"if (t < 32) ", 0, "", "[8,3,2]"},
        {"if (threadIdx.z < 1) ", 1, "", "[8,3,2]"},
        {"", 0, "", "[8,2,4]"},
        {"if (threadIdx.z < 2) ", 0, "", "[8,2,4]"},
        {"if (threadIdx.z < 1) ", 1, "", "[8,2,4]"}},
       store);
  // Of sizes that are not known it is said that blocks are whole warps, where the others do not say so.
  const std::string text = head + store + " }", said = "blocks are whole warps", not_said = "!" + said;
  for (const auto& [block, says] : std::vector<std::pair<const char*, const char*>>{{"*", said.c_str()},
                                                                                    {"[16,*]", said.c_str()},
                                                                                    {"[32,*]", not_said.c_str()},
                                                                                    {"[*,32]", not_said.c_str()},
                                                                                    {"[*,3,2]", said.c_str()}})
    decide({{"k.cu", text.c_str(), 0, says, {std::string("--blockDim=") + block, "--no-attack"}}});
}

}  // namespace
}  // namespace fencepost::verifier
