// Positions of two dimensions and more that are made out of one number by divisors that are known at run time only,
// and beside each kind kernels whose positions do collide.
#include "decide.h"

namespace fencepost::verifier {
namespace {

const std::string k_signed = "int i = blockIdx.x * blockDim.x + threadIdx.x; ";
const std::string k_size = "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; ";

// `sizes`: the parameters.
std::string kernel(const std::string& sizes, const std::string& body) {
  return "__global__ void k(float* o, const float* x_, " + sizes + ") { " + body + " }\n";
}

struct Split {
  std::string text;
  int exit_code;  // 1: it is not verified
};

void splits(const std::vector<Split>& all, const std::vector<std::string>& grids = {"4"}) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Split& s : all)
    for (const std::string& grid : grids) {
      const auto o = launch::parse({"--blockDim=64", "--gridDim=" + grid, "--no-attack", "--timeout=8"});
      ASSERT_TRUE(o);
      const launch::Answer a = answer(*o, make_source("split.cu", s.text));
      EXPECT_EQ(a.exit_code == 0, s.exit_code == 0) << s.text << a.out << a.err;
    }
}

TEST(Quotients, rows_and_columns) {
  const std::string in = k_signed + "if (i >= n * h) return; ", yx = "int y = i / n, x = i % n; ";
  splits({
      {kernel("int n, int h", in + yx + "o[x * h + y] = x_[i];"), 0},
      {kernel("int n, int h", in + yx + "o[y * n + x] = x_[i];"), 0},
      {kernel("int n, int h, int pitch", in + yx + "if (0 < n && n <= pitch) o[y * pitch + x] = x_[i];"), 0},
      {kernel("int n, int h, int pitch", in + yx + "o[y * pitch + x] = x_[i];"), 1},
      // Guarded by row and column.
      {kernel("int n, int h", k_signed + yx + "if (y < h && x < n) o[x * h + y] = x_[i];"), 0},
      {kernel("int n, int h", k_signed + yx + "if (n > 0 && y < h) o[x * h + y] = x_[i];"), 0},
      {kernel("int n, int h", k_signed + yx + "if (y <= h) o[x * h + y] = x_[i];"), 1},
      {kernel("int n, int h", k_signed + yx + "o[x * h + y] = x_[i];"), 1},
  });
}

TEST(Quotients, of_grids_of_any_size) {
  const std::string in = k_signed + "if (i < n * h) ";
  splits({{kernel("int n, int h", in + "o[i % n * h + i / n] = x_[i];"), 0},
          {kernel("int n, int h", in + "o[i % n * h + i / n + 1] = o[i];"), 1}},
         {"*"});
}

TEST(Quotients, near_misses) {
  splits({
      // One element too many, other numbers, a negative number.
      {kernel("int n, int h", k_signed + "if (i < n * h + 1) o[i % n * h + i / n] = x_[i];"), 1},
      {kernel("int n, int h, int m", k_signed + "if (i < n * h) o[i % m * h + i / n] = x_[i];"), 1},
      {kernel("int n, int h", k_signed + "i -= 100; if (i < n * h) o[i % n * h + i / n] = x_[i];"), 1},
      // Of each thread its own.
      {kernel("const int* ns, int h",
              k_signed + "int n = ns[threadIdx.x]; if (i < n * h) o[i % n * h + i / n] = x_[i];"),
       1},
  });
}

TEST(Quotients, chains) {
  const std::string in = k_signed + "if (i >= c * h * w) return; int x = i % w, t = i / w, y = t % h, b = t / h; ";
  const std::string whole = k_signed + "if (i >= c * h * w) return; int x = i % w, y = (i / w) % h, b = i / (h * w); ";
  splits({
      {kernel("int c, int h, int w", in + "o[(b * h + y) * w + x] = x_[i];"), 0},
      {kernel("int c, int h, int w", in + "o[(b * w + x) * h + y] = x_[i];"), 0},
      {kernel("int c, int h, int w", in + "o[(b * w + y) * h + x] = x_[i];"), 1},
      {kernel("int c, int h, int w", whole + "o[(b * w + x) * h + y] = x_[i];"), 0},
      {kernel("int c, int h, int w", whole + "o[(x * h + y) * c + b] = x_[i];"), 0},
      {kernel("int c, int h, int w", whole + "o[(x * c + y) * h + b] = x_[i];"), 1},
      {kernel("int c, int h, int w", k_signed + "if (i >= c * h * w) return; int r = i % (h * w), y = r / w;\n"
                                                "o[(i / (h * w) * w + r % w) * h + y] = x_[i];"),
       0},
      {kernel("int c, int h, int w", k_signed + "if (i >= c * h * w) return; int y = (i / w) % h, x = i % w;\n"
                                                "o[(i / (h + w) * h + y) * w + x] = x_[i];"),
       1},
      {kernel("int n, int c, int h, int w",
              k_signed + "if (i >= n * c * h * w) return; int x = i % w, y = (i / w) % h, z = (i / (w * h)) % c;\n"
                         "o[((i / (c * h * w) * h + y) * w + x) * c + z] = x_[i];"),
       0},
  });
}

// At any number of blocks: that the counter does not wrap is assumed, as it is where it is the position itself.
TEST(Quotients, of_a_counter) {
  const auto stride = [](const std::string& test, const std::string& step) {
    return kernel("int n, int h", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i " + test + "; i += " + step +
                                      ") o[i % n * h + i / n] = x_[i];");
  };
  splits({{stride("< n * h", "blockDim.x * gridDim.x"), 0}}, {"4", "*"});
  splits({{stride("< n * h", "blockDim.x"), 1}});
  splits({{stride("<= n * h", "blockDim.x * gridDim.x"), 1}});
}

// What does not wrap: 32 bits in 64.
TEST(Quotients, of_unsigned_numbers) {
  splits({
      {kernel("unsigned n, unsigned h", k_size + "if (i < (size_t)n * h) o[i % n * h + i / n] = x_[i];"), 0},
      {kernel("unsigned n, unsigned h",
              "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * h) o[i / n * n + i % n] = x_[i];"),
       0},
      // n * h may wrap.
      {kernel("size_t n, size_t h", k_size + "if (i < n * h) o[i % n * h + i / n] = x_[i];"), 1},
      {kernel("size_t n, size_t h", k_size + "o[i % n * h + i / n] = x_[i];"), 1},
      {kernel("unsigned n, unsigned h", k_size + "if (i < (size_t)n * h) o[i % n * (h - 1) + i / n] = x_[i];"), 1},
  });
}

}  // namespace
}  // namespace fencepost::verifier
