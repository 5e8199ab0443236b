// Index arithmetic on unsigned numbers: what is assumed of it, of which, and when.
#include "decide.h"

namespace fencepost::verifier {
namespace {

constexpr const char* k_says = "index arithmetic on unsigned numbers stays below 2^31";
constexpr const char* k_not = "!index arithmetic";

// A row of n for each block; thread 0 of block 0 writes elements 0, 64, ...
const char* const k_rows =
    "__global__ void k(float* o, const float* x, int n) {\n"
    "  for (int i = threadIdx.x; i < n; i += 64) o[blockIdx.x * n + i] = 2 * x[i]; }\n";

TEST(SmallIndices, rows_are_apart_where_they_do_not_wrap) {
  decide({
      {"rows.cu", k_rows, 0, k_says},
      {"rows.cu", k_rows, 1, k_not, {"--strict"}},
      // n is known: 4 * 1024 elements.
      {"rows.cu", k_rows, 0, k_not, {"--kernel-args=k,1024"}},
      // Of signed numbers it is undefined, and of 64 bits it does not wrap.
      {"signed.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[(int)blockIdx.x * n + i] = 2 * x[i]; }\n",
       0, k_not},
      {"wide.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[(size_t)blockIdx.x * n + i] = 2 * x[i]; }\n",
       0, k_not},
      // By pointers, with numbers of the kernel's own, with steps of rows.
      {"pointer.cu",
       "__global__ void k(float* o, const float* x, int n) { float* q = o + blockIdx.x * n;\n"
       "  for (int i = threadIdx.x; i < n; i += 64) q[i] = 2 * x[i]; }\n",
       0, k_says},
      {"int.cu",
       "__global__ void k(float* o, const float* x, int n) { int row = blockIdx.x * n;\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[row + i] = 2 * x[i]; }\n",
       0, k_says},
      {"steps.cu",
       "__global__ void k(float* o, const float* x, unsigned rows, unsigned n) {\n"
       "  for (unsigned r = blockIdx.x; r < rows; r += 4)\n"
       "    for (unsigned i = threadIdx.x; i < n; i += 64) o[r * n + i] = 2 * x[i]; }\n",
       0, k_says},
      {"rows.cl",
       "__kernel void k(__global float* o, __global const float* x, uint n) { uint g = get_group_id(0);\n"
       "  for (uint i = get_local_id(0); i < n; i += 64) o[g * n + i] = 2 * x[i]; }\n",
       0, k_says},
  });
}

TEST(SmallIndices, what_wraps_or_not_is_a_race_stays_one) {
  decide({
      // A run of a few steps shows that it wraps, where w is 2^32 - 5.
      {"two.cu",
       "__global__ void k(float* o, const float* x, unsigned w, unsigned h) {\n"
       "  unsigned i = threadIdx.x, y = blockIdx.x; if (i < w && y < h) o[y * w + i] = 2 * x[i]; }\n",
       1, "confirmed by a run"},
      // One element too many.
      {"longer.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i <= n; i += 64) o[blockIdx.x * n + i] = 2 * x[i] + blockIdx.x; }\n",
       1, k_not},
      // Rows of n - 1 elements.
      {"shorter.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[blockIdx.x * (n - 1) + i] = 2 * x[i] + blockIdx.x; }\n",
       1, k_not},
      // Blocks 0 and 2 have one row.
      {"half.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[blockIdx.x % 2 * n + i] = 2 * x[i] + blockIdx.x; }\n",
       1, k_not},
  });
}

// A factor that is a constant is meant to wrap, and so are numbers whose bits are mixed.
TEST(SmallIndices, what_is_meant_to_wrap_may) {
  decide({
      {"constant.cu",
       "__global__ void k(int* o, int n) { if (n == 1) o[blockIdx.x * 0x80000000u + threadIdx.x] = blockIdx.x; }\n", 1,
       k_not},
      {"hash.cu",
       "__global__ void k(int* o, unsigned n) { unsigned h = (blockIdx.x * 64 + threadIdx.x) * n; h ^= h >> 16;\n"
       "  o[h] = threadIdx.x; }\n",
       1, k_not},
      {"shifted.cu",
       "__global__ void k(int* o, unsigned n) { unsigned h = (blockIdx.x * 64 + threadIdx.x) * n; o[h >> 16] = "
       "threadIdx.x; }\n",
       1, k_not},
      // Of numbers of the launch alone.
      {"launch.cu",
       "__global__ void k(int* o, int n) { if (n > 0) o[blockIdx.x * threadIdx.x] = blockIdx.x + threadIdx.x; }\n", 1,
       k_not},
      // Not of an address.
      {"test.cu",
       "__global__ void k(int* o, unsigned n) { if (n > 0 && blockIdx.x * n == 0) o[threadIdx.x] = blockIdx.x; }\n", 1,
       k_not},
  });
}

// In block 0 the index is above 2^31 for every n: with that excluded nothing would be left of a launch of two blocks.
TEST(SmallIndices, something_is_left_of_what_is_assumed) {
  const std::vector<std::string> two = {"--blockDim=64", "--gridDim=2"};
  decide({
      {.name = "before.cu",
       .text = "__global__ void k(int* o, int* p, unsigned n) { if (n == 0) return;\n"
               "  if (threadIdx.x < n) o[(blockIdx.x - 1) * n + threadIdx.x] = 1; p[threadIdx.x] = blockIdx.x; }\n",
       .exit_code = 1,
       .says = k_not,
       .options = two,
       .launched = true},
      // Where the index is tested first, block 0 writes nothing there.
      {.name = "tested.cu",
       .text = "__global__ void k(int* o, int n, unsigned all) { unsigned i = (blockIdx.x - 1) * n + threadIdx.x;\n"
               "  if ((int)threadIdx.x < n && i < all) o[i] = blockIdx.x; }\n",
       .exit_code = 0,
       .options = two,
       .launched = true},
  });
}

}  // namespace
}  // namespace fencepost::verifier
