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

// Null is known also through a variable, cudaLaunchKernel, and a function that no other file calls.
TEST(Addresses, ANullThatIsGivenOnIsKnown) {
  const std::string k = "__global__ void k(int* a, int* b) { if (b) a[0] = threadIdx.x; }\n";
  const auto host = [&](const std::string& text, const std::string& go = "") {
    return k + go + "int main(int c, char**) { int *a, *p; cudaMalloc(&a, 999); cudaMalloc(&p, 999); " + text + " }\n";
  };
  const std::string launch = "cudaLaunchKernel((void*)k, dim3(1), dim3(64), args, 0, 0);",
                    go = "void go(int* a, int* b) { k<<<1, 64>>>(a, b); }\n", own = "static " + go;
  const std::string braces = host("k<<<1, 64>>>(a, {});"),
                    list = host("int* z = nullptr; void* args[] = {&a, &z}; " + launch),
                    fixed = host("int* const z = nullptr; void* args[] = {&a, (void*)&z}; " + launch),
                    later = host("int* z = nullptr; void* args[] = {&a, &z}; z = p; " + launch),
                    through = host("int* z = nullptr; void* args[] = {&a, &z}; *(int**)args[1] = p; " + launch),
                    given = host("go(a, nullptr); go(a, 0);", own), both = host("go(a, nullptr); go(a, p);", own),
                    others = host("go(a, nullptr);", go),
                    absent = host("go(a);", "static void go(int* a, int* b = nullptr) { k<<<1, 64>>>(a, b); }\n"),
                    filled = host("go(a, nullptr);",
                                  "static void go(int* a, int* b) { cudaMalloc(&b, 9); k<<<1, 64>>>(a, b); }\n"),
                    address = host("go(a, nullptr); void use(void*); use((void*)go);", own);
  decide({{"braces.cu", braces.c_str(), 0, "", {}, true},
          {"list.cu", list.c_str(), 0, "", {}, true},
          {"fixed.cu", fixed.c_str(), 0, "", {}, true},
          {"later.cu", later.c_str(), 1, "race", {}, true},
          {"through.cu", through.c_str(), 1, "race", {}, true},
          {"given.cu", given.c_str(), 0, "", {}, true},
          {"both.cu", both.c_str(), 1, "race", {}, true},
          {"others.cu", others.c_str(), 1, "race", {}, true},
          {"absent.cu", absent.c_str(), 0, "", {}, true},
          {"filled.cu", filled.c_str(), 1, "race", {}, true},
          {"address.cu", address.c_str(), 1, "race", {}, true}});
}

// A parameter that the kernel does not compare with null, and that the launch gives as null, stands for an array.
TEST(Addresses, AnAccessThroughWhatTheLaunchGivesAsNullIsNotSilent) {
  const auto host = [](const std::string& kernel, const std::string& given, const char* more = "") {
    return "__global__ void k(int* a, int* b, int n) { int t = threadIdx.x; " + kernel +
           " }\nint main(int c, char**) { int *a, *p; cudaMalloc(&a, 999); cudaMalloc(&p, 999); int *none = nullptr; " +
           more + " k<<<1, 64>>>(a, " + given + "); }\n";
  };
  const char* const assumed = "assumes that the null that this launch gives for 'b' stands for an array";
  const std::string always = host("a[t] = b[t];", "nullptr, c"), ids = host("if (t > 3) b[t] = 1;", "nullptr, c"),
                    flag = host("if (n > 0) b[t] = 1; a[t] = 2;", "nullptr, c"),
                    dead = host("if (n > 0) b[t] = 1; a[t] = 2;", "nullptr, 0"),
                    alive = host("if (n > 0) b[t] = 1; a[t] = 2;", "nullptr, 1"),
                    content = host("if (a[t] > 0) b[t] = 1;", "nullptr, c"), there = host("a[t] = b[t];", "p, c"),
                    unused = host("a[t] = 2;", "nullptr, c"), no_lane = host("if (t > 64) b[t] = 1;", "0, c"),
                    variable = host("if (n > 0) b[t] = 1; a[t] = 2;", "none, c"),
                    filled = host("if (n > 0) b[t] = 1; a[t] = 2;", "none, c", "cudaMalloc(&none, 99);"),
                    race = host("if (n > 0) b[0] = t;", "nullptr, c");
  decide({{"always.cu", always.c_str(), 0, assumed, {}, true},
          {"ids.cu", ids.c_str(), 0, assumed, {}, true},
          {"flag.cu", flag.c_str(), 0, assumed, {}, true},
          {"flag of strict.cu", flag.c_str(), 3, "stands for an array", {"--strict"}, true},
          {"dead.cu", dead.c_str(), 0, "!stands for an array", {}, true},
          {"alive.cu", alive.c_str(), 0, assumed, {}, true},
          {"content.cu", content.c_str(), 0, assumed, {}, true},
          {"there.cu", there.c_str(), 0, "!stands for an array", {}, true},
          {"unused.cu", unused.c_str(), 0, "!stands for an array", {}, true},
          {"no lane.cu", no_lane.c_str(), 0, "!stands for an array", {}, true},
          {"variable.cu", variable.c_str(), 0, assumed, {}, true},
          {"filled.cu", filled.c_str(), 0, "!stands for an array", {}, true},
          {"race.cu", race.c_str(), 1, "race", {}, true}});
}

// A kernel that compares a pointer with null and accesses it where it may be null all the same.
TEST(Addresses, ThatATestedPointerIsNotNullIsAnAssumption) {
  const char* const assumed = "'a', which the kernel compares with null, is not null where it is used";
  const std::string head = "__global__ void k(int* a, int* b, int x) { int t = blockIdx.x * 64 + threadIdx.x; ";
  const std::string either = head + "if (a || x) a[t] = 1; }", behind = head + "if (a) b[t] = 1; a[t] = 2; }",
                    both = head + "if (a && x) a[t] = 1; }", early = head + "if (!a) return; a[t] = 1; }",
                    chosen = head + "b[t] = a ? a[t] : 0; }", other = head + "b[t] = a ? a[t] : 0; b[t] += x; }",
                    number = head + "if ((unsigned long)a != 0 || x) a[t] = 1; }";
  decide({{"either.cu", either.c_str(), 0, assumed},
          {"either of strict.cu", either.c_str(), 3, assumed, {"--strict"}},
          {"behind.cu", behind.c_str(), 0, assumed},
          {"both.cu", both.c_str(), 0, "!is not null where it is used"},
          {"early.cu", early.c_str(), 0, "!is not null where it is used"},
          {"chosen.cu", chosen.c_str(), 0, "!is not null where it is used"},
          {"other.cu", other.c_str(), 0, "!is not null where it is used"},
          {"number.cu", number.c_str(), 0, assumed}});
}

// What is promised of an address holds in the runs that confirm.
TEST(Addresses, APromisedAlignmentHoldsInRuns) {
  const auto kernel = [](const std::string& promise) {
    return "__global__ void k(float* p) { " + promise +
           " int t = blockIdx.x * 64 + threadIdx.x; if (((unsigned long)p & 15) == 0) p[t] = t; else p[0] = t; }";
  };
  const std::string promised = kernel("p = (float*)__builtin_assume_aligned(p, 16);"), open = kernel(""),
                    less = kernel("p = (float*)__builtin_assume_aligned(p, 8);"),
                    moved = kernel("p = (float*)__builtin_assume_aligned(p, 16, 4);");
  decide({{"promised.cu", promised.c_str(), 0, "what is assumed at"},
          {"open.cu", open.c_str(), 1, "confirmed by a run"},
          {"less.cu", less.c_str(), 1, "confirmed by a run"},
          {"moved.cu", moved.c_str(), 1, "race"}});
}

}  // namespace
}  // namespace fencepost::verifier
