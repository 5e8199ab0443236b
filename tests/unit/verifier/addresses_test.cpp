// The address of a variable that each thread, or each block, has for itself: as a value it is another one for each.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// The variable itself, as it stands in the kernel; n keeps random runs from taking the branch.
std::string kernel(const std::string& body, const char* first = "int** a") {
  return std::string("__global__ void k(") + first + ", int n) {\n" + body + "\n}\n";
}

TEST(Addresses, OfAThreadsOwnVariableIsAnotherValueForEach) {
  const std::string pointer = kernel("int x; if (n == 0x12345) *a = &x;"), always = kernel("int x; *a = &x;"),
                    parameter = kernel("if (n == 0x12345) *a = &n;"),
                    number = kernel("int x; if (n == 0x12345) *a = (size_t)&x;", "size_t* a"),
                    element = kernel("int x[4]; x[0] = n; if (n == 0x12345) *a = &x[n & 3];"),
                    self =
                        "struct S { int v; __device__ __noinline__ void f(S** a, int n) { if (n == 0x12345) *a = "
                        "this; } };\n" +
                        kernel("S s; s.v = n; s.f(a, n);", "S** a"),
                    called =
                        "__device__ __noinline__ void put(int** a, int* p, int n) { if (n == 0x12345) *a = p; }\n" +
                        kernel("int x; put(a, &x, n);"),
                    chosen = kernel("int x, y; int* p = n & 1 ? &x : &y; if (n == 0x12345) *a = p;");
  decide({{"pointer.cu", pointer.c_str(), 1},
          {"always.cu", always.c_str(), 1},
          {"parameter.cu", parameter.c_str(), 1},
          {"number.cu", number.c_str(), 1},
          {"element.cu", element.c_str(), 1},
          {"this.cu", self.c_str(), 1},
          {"called.cu", called.c_str(), 1},
          {"chosen.cu", chosen.c_str(), 1},
          {"private.cl", "kernel void k(global ulong* a, int n) { int x; if (n == 0x12345) a[0] = (ulong)&x; }", 1}});
}

TEST(Addresses, DecideNoBarrierAndNoIndexForAll) {
  const std::string branch = kernel("int x; if ((size_t)&x >> 20 & n) __syncthreads();", "int* a"),
                    held = kernel("int x; if (*a == &x) __syncthreads();"),
                    before = kernel("int x; if (&x < (int*)a) __syncthreads();"),
                    index = kernel(
                        "int x; a[((size_t)&x >> 20 & 0xff) + 64 * (blockIdx.x * 64 + threadIdx.x)] = threadIdx.x;",
                        "int* a");
  decide({{"branch.cu", branch.c_str(), 1},
          {"held.cu", held.c_str(), 1},
          {"before.cu", before.c_str(), 1},
          {"index.cu", index.c_str(), 1}});
}

TEST(Addresses, OfSharedMemoryDifferBetweenBlocks) {
  const std::string shared = kernel("__shared__ int x; if (n == 0x12345) *a = &x;");
  decide({{"two.cu", shared.c_str(), 1},
          {"one.cu", shared.c_str(), 0, "", {"--gridDim=1"}},
          {"two.cl", "kernel void k(global ulong* a, int n) { local int x; if (n == 0x12345) a[0] = (ulong)&x; }", 1},
          {"one.cl",
           "kernel void k(global ulong* a, int n) { local int x; if (n == 0x12345) a[0] = (ulong)&x; }",
           0,
           "",
           {"--num_groups=1"}}});
}

TEST(Addresses, OfOnesOwnPlacesAreHeldAgainstEachOther) {
  const std::string walk = kernel(
                        "int x[4]; for (int* p = x; p != x + 4; ++p) { *p = n; __syncthreads(); } "
                        "a[blockIdx.x * 64 + threadIdx.x] = x[n & 3];",
                        "int* a"),
                    null = "__device__ __noinline__ void set(int* p) { if (p) *p = 1; __syncthreads(); }\n" +
                           kernel("int x = 0; set(&x); a[blockIdx.x * 64 + threadIdx.x] = x;", "int* a"),
                    common = kernel("if (n == 0x12345) *a = (int*)a;"),
                    barrier = kernel("__shared__ int s; if ((size_t)&s & 4 & n) __syncthreads();", "int* a");
  decide({{"walk.cu", walk.c_str(), 0},
          {"null.cu", null.c_str(), 0},
          {"common.cu", common.c_str(), 0},
          {"barrier.cu", barrier.c_str(), 0}});
}

// ---- null ----------------------------------------------------------------------------------------------------------

TEST(Addresses, AnAccessThatIsMadeOnlyThroughNullIsReported) {
  decide(
      {{"null.cu", "__global__ void k(int* a) { if (a == nullptr) a[threadIdx.x] = 1; }", 1, "null pointer"},
       {"more.cu", "__global__ void k(int* a, int n) { if (!a && n > 3) a[threadIdx.x] = n; }", 1, "null pointer"},
       {"read.cu", "__global__ void k(int* o, int* a) { int t = blockIdx.x * 64 + threadIdx.x; if (!a) o[t] = a[t]; }",
        1, "null pointer"},
       {"tested.cu", "__global__ void k(int* a) { if (a != nullptr) a[blockIdx.x * 64 + threadIdx.x] = 1; }", 0},
       {"early.cu", "__global__ void k(int* a) { if (!a) return; a[blockIdx.x * 64 + threadIdx.x] = 1; }", 0},
       {"other.cu", "__global__ void k(int* a, int* b) { int t = blockIdx.x * 64 + threadIdx.x; a[t] = b ? b[t] : 0; }",
        0}});
}

TEST(Addresses, APointerThatTheLaunchGivesAsNullIsNull) {
  const auto host = [](const std::string& kernel, const char* given) {
    return "__global__ void k(int* a, int* b) { " + kernel +
           " }\nint main(int c, char**) { int *a, *p; "
           "cudaMalloc(&a, 999); cudaMalloc(&p, 999); k<<<1, 64>>>(a, " +
           given + "); }\n";
  };
  const std::string write = "if (b != nullptr) a[0] = threadIdx.x;", read = "a[threadIdx.x] = b[threadIdx.x];",
                    written = "if (b == nullptr) b[threadIdx.x] = 1;";
  const std::string dead = host(write, "nullptr"), number = host(write, "0"), word = host(write, "NULL"),
                    cast = host(write, "(int*)nullptr"), there = host(write, "p"),
                    open = host(write, "c > 1 ? p : nullptr"), both = host(write, "nullptr); k<<<1, 64>>>(a, p"),
                    to = host(written, "nullptr"), good = host(read, "p");
  decide({{"dead.cu", dead.c_str(), 0, "", {}, true},
          {"number.cu", number.c_str(), 0, "", {}, true},
          {"word.cu", word.c_str(), 0, "", {}, true},
          {"cast.cu", cast.c_str(), 0, "", {}, true},
          {"there.cu", there.c_str(), 1, "race", {}, true},
          {"open.cu", open.c_str(), 1, "race", {}, true},
          {"both.cu", both.c_str(), 1, "race", {}, true},
          {"to.cu", to.c_str(), 1, "null pointer", {}, true},
          {"good.cu", good.c_str(), 0, "", {}, true}});
}

}  // namespace
}  // namespace fencepost::verifier
