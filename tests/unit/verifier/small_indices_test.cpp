// Index arithmetic on unsigned numbers: what is assumed of it, of which, and when.
#include <tuple>

#include "base/write_file.h"
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
      // Of 64 bits, where three factors may pass 2^64.
      {"planes.cu",
       "__global__ void k(float* o, const float* x, int c, int n) { int i = threadIdx.x; if (i >= n) return;\n"
       "  for (int j = 0; j < c; ++j) o[((size_t)blockIdx.x * c + j) * n + i] = 2 * x[i]; }\n",
       0,
       "index arithmetic of 64 bits stays below 2^63",
       {"--timeout=4"}},
      {"rows.cl",
       "__kernel void k(__global float* o, __global const float* x, uint n) { uint g = get_group_id(0);\n"
       "  for (uint i = get_local_id(0); i < n; i += 64) o[g * n + i] = 2 * x[i]; }\n",
       0, k_says},
  });
}

// That an index may wrap is not what a reader wants to hear of a kernel that is not decided for another reason.
TEST(SmallIndices, what_is_not_decided_beside_them_is_said) {
  const char* stale =
      "__global__ void k(float* o, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += 64) o[blockIdx.x * n + i] = 2 * __ldg(&o[blockIdx.x * n + i]); }\n";
  decide({{"stale.cu", stale, 3, "past the caches"}, {"stale.cu", stale, 1, "race (not confirmed)", {"--strict"}}});
}

// What the first proof would rest on is said of the second one, too.
TEST(SmallIndices, axioms_are_named_beside) {
  const std::string path = testing::TempDir() + "small_indices.bpl";
  ASSERT_TRUE(write_file(path, "function F(x: bv32) : bv32;\naxiom (forall x: bv32 :: {F(x)} F(x) == F(x));\n"));
  const std::vector<std::string> with = {"--boogie-file=" + path};
  decide({{"rows.cu", k_rows, 0, k_says, with}, {"rows.cu", k_rows, 0, "small_indices.bpl' hold", with}});
}

TEST(SmallIndices, what_wraps_or_not_is_a_race_stays_one) {
  decide({
      // One element too many.
      {"longer.cu",
       "__global__ void k(float* o, const float* x, int n) {\n"
       "  for (int i = threadIdx.x; i <= n; i += 64) o[blockIdx.x * n + i] = 2 * x[i] + blockIdx.x; }\n",
       1, k_not},
      // A stride that may be negative: blocks 0 and 1 meet where d is -1.
      {"back.cu",
       "__global__ void k(int* o, int n, int d) { if (d >= 0 && d < n) return;\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[i + blockIdx.x * d] = i + 100 * blockIdx.x; }\n",
       1, k_not},
      {"any.cu",
       "__global__ void k(int* o, int n, int d) { if (n > 1000) return;\n"
       "  for (int i = threadIdx.x; i < n; i += 64) o[i + blockIdx.x * d] = i + 100 * blockIdx.x; }\n",
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

// A run of a few steps shows that it wraps, where w is 2^32 - 5: a number of elements that no array has.
TEST(SmallIndices, a_run_with_a_length_of_no_array_is_said) {
  const auto rows = [](const std::string& test) {
    return "__global__ void k(float* o, const float* x, unsigned w, unsigned h) {\n"
           "  unsigned i = threadIdx.x, y = blockIdx.x; if (" +
           test + ") o[y * w + i] = 2 * x[i]; }\n";
  };
  const std::string right = rows("i < w && y < h"), wrong = rows("i <= w && y < h"), taller = rows("y < h");
  decide({{"two.cu", right.c_str(), 0, "; a run shows a race where they do not, with w = 4294967"},
          {"two.cu", right.c_str(), 1, "confirmed by a run", {"--strict"}},
          {"wrong.cu", wrong.c_str(), 1, "confirmed by a run"},
          {"taller.cu", taller.c_str(), 1, "confirmed by a run"}});
}

// Tiles of one length: from 2^22 blocks on, 1024 times their number wraps.
TEST(SmallIndices, tiles_are_apart_in_grids_of_any_size) {
  const std::vector<std::string> any = {"--blockDim=64", "--gridDim=*"};
  const auto tiles = [](const std::string& start, const std::string& step = "64") {
    return "__global__ void k(float* o, const float* x, int n) { int s = " + start +
           ";\n  for (int i = threadIdx.x; i < 1024; i += " + step + ") o[s + i] = x[i] + blockIdx.x; }\n";
  };
  const std::string right = tiles("blockIdx.x * 1024"), shifted = tiles("blockIdx.x << 10"),
                    shorter = tiles("blockIdx.x * 1023"), huge = tiles("blockIdx.x * 0x40000000u"),
                    reverse = tiles("(gridDim.x - 1 - blockIdx.x) * 1024"), meant = tiles("(blockIdx.x * 1024) >> 9");
  decide({
      {"tiles.cu", right.c_str(), 0, k_says, any},
      {"tiles.cu", right.c_str(), 1, k_not, {"--blockDim=64", "--gridDim=*", "--strict"}},
      // Of a given grid it is known.
      {"tiles.cu", right.c_str(), 0, k_not, {"--blockDim=64", "--gridDim=4096"}},
      {"tiles.cu", right.c_str(), 1, k_not, {"--blockDim=64", "--gridDim=4194305"}},
      {"shifted.cu", shifted.c_str(), 0, k_says, any},
      {"reverse.cu", reverse.c_str(), 0, k_says, any},
      {"shorter.cu", shorter.c_str(), 1, k_not, any},
      {"huge.cu", huge.c_str(), 1, k_not, any},
      {"meant.cu", meant.c_str(), 1, k_not, any},
  });
}

// Bytes behind the last whole vector: of 64 bits, `n / 16 * 16 + i` wraps where n is near 2^64.
TEST(SmallIndices, tails_behind_vectors) {
  const auto copy = [](const std::string& first) {
    return "__global__ void k(unsigned char* d, const unsigned char* s, size_t n) {\n"
           "  const size_t v = n / 16, t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n"
           "  if (t < v) ((uint4*)d)[t] = ((const uint4*)s)[t];\n"
           "  for (size_t i = " +
           first + "; i < n; i += blockDim.x * gridDim.x) d[i] = s[i] + 1; }\n";
  };
  const std::string right = copy("v * 16 + t"), wrong = copy("v * 15 + t");
  decide({{"tail.cu", right.c_str(), 0, "index arithmetic of 64 bits stays below 2^63"},
          {"tail.cu", right.c_str(), 1, k_not, {"--strict"}},
          {"early.cu", wrong.c_str(), 1, "confirmed by a run"}});
}

// The length of a row is a number of elements also where it has 64 bits.
TEST(SmallIndices, rows_of_sizes) {
  decide({{"rows.cu",
           "__global__ void k(float* o, const float* x, size_t n) {\n"
           "  size_t b = blockIdx.x, t = threadIdx.x; if (t < n) o[b * n + t] = x[t] + b; }\n",
           0, "index arithmetic of 64 bits stays below 2^63"},
          {"longer.cu",
           "__global__ void k(float* o, const float* x, size_t n) {\n"
           "  size_t b = blockIdx.x, t = threadIdx.x; if (t <= n) o[b * n + t] = x[t] + b; }\n",
           1, "confirmed by a run"}});
}

// A factor that is a constant is meant to wrap in a grid that is given, and so are numbers whose bits are mixed.
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

// A counter of unsigned numbers that does not wrap is one number in the width of offsets, as a signed one is.
TEST(UnsignedCounters, of_grids_of_any_size) {
  const std::vector<std::string> any = {"--blockDim=64", "--gridDim=*"};
  const auto kernel = [](const std::string& test, const std::string& step, const std::string& place) {
    return "__global__ void k(float* x, unsigned n) {\n  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; " +
           test + "; i += " + step + ") x[" + place + "] += 1; }\n";
  };
  const std::string grid = "gridDim.x * blockDim.x", says = "does not pass 2^32 - 1";
  const std::vector<std::tuple<std::string, int, std::string>> rows = {
      {kernel("i < n", grid, "i"), 0, says},
      {kernel("i < n", grid, "(size_t)i * 4 + 2"), 0, says},
      {kernel("i <= n", grid, "i"), 0, says},
      // The next one's, the one before, and each second one.
      {kernel("i < n", grid + " - 1", "i"), 1, ""},
      {kernel("i < n", grid + " / 2", "i"), 1, ""},
      {kernel("i < n", grid, "i / 2"), 1, ""},
      // Nothing is assumed of what is tested otherwise.
      {kernel("i != n", grid, "i"), 1, "!" + says},
  };
  for (const auto& [text, code, what] : rows)
    decide({{.name = "stride.cu",
             .text = text.c_str(),
             .exit_code = code,
             .says = what.c_str(),
             .options = any,
             .launched = true}});
  // As a signed number it may be negative, as an unsigned one it is not.
  const std::string mixed =
      "__global__ void k(float* x, unsigned n) { for (unsigned i = threadIdx.x; i < n; i += 64) x[(int)i] += 1; }\n";
  decide({{.name = "mixed.cu",
           .text = mixed.c_str(),
           .exit_code = 0,
           .options = {"--blockDim=64", "--gridDim=1"},
           .launched = true}});
}

}  // namespace
}  // namespace fencepost::verifier
