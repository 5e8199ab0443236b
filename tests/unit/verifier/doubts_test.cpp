// What must not be taken for certain: barriers that PTX does not have, launches that cannot be made, resets that are
// not on every way, and values of which a run knows no more than that a function gives them.
#include "decide.h"

namespace fencepost::verifier {
namespace {

std::string barrier(const std::string& line) {
  return "__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t;\n" + line +
         "\no[blockIdx.x * 64 + t] = s[63 - t]; }\n";
}

TEST(Doubts, BarriersThatPtxDoesNotHave) {
  const std::string fifteen = barrier("asm volatile(\"bar.sync 15;\" ::: \"memory\");"),
                    sixteen = barrier("asm volatile(\"bar.sync 16;\" ::: \"memory\");"),
                    given = barrier("asm volatile(\"bar.sync %0;\" ::\"r\"(17) : \"memory\");"),
                    computed = barrier(
                        "int n = 15; n += blockDim.x / 32;\n"
                        "asm volatile(\"bar.sync %0;\" ::\"r\"(n) : \"memory\");"),
                    counted = barrier("asm volatile(\"bar.sync 16, 64;\" ::: \"memory\");"),
                    odd = barrier("asm volatile(\"bar.sync 1, 48;\" ::: \"memory\");"),
                    whole = barrier("asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");");
  decide({{"k.cu", fifteen.c_str(), 0},
          {"k.cu", sixteen.c_str(), 3, "a barrier of the number 16, where PTX has 0 to 15"},
          {"k.cu", given.c_str(), 3, "a barrier of the number 17"},
          {"k.cu", computed.c_str(), 3, "a barrier of the number 17"},
          {"k.cu", counted.c_str(), 3, "a barrier of the number 16"},
          {"k.cu", odd.c_str(), 1, "a barrier of 48 threads, which are no whole warps"},
          {"k.cu", whole.c_str(), 0}});
  const std::string arrives = "__global__ void k(int *o) { asm volatile(\"bar.arrive 1, 0;\" ::: \"memory\"); }\n";
  decide({{"k.cu", arrives.c_str(), 3, "a barrier of 0 threads"}});
  // A block of 48 threads, all of which come.
  const std::string block = "__global__ void k(int *o) { asm volatile(\"bar.sync 0, 48;\" ::: \"memory\"); }\n";
  decide({{"k.cu", block.c_str(), 3, "a barrier of 48 threads", {"--blockDim=48", "--gridDim=2"}, true}});
}

// One instruction on numbers is exact, as it is in a block of several.
TEST(Doubts, OneInstructionOnNumbersIsExact) {
  const auto at = [](const std::string& one) {
    return "__global__ void k(int *o) { unsigned t = blockIdx.x * 64 + threadIdx.x, n; asm(\"" + one +
           "\" : \"=r\"(n) : \"r\"(t)); o[n] = t; }\n";
  };
  const std::string shift = at("shl.b32 %0, %1, 2;"), flip = at("xor.b32 %0, %1, 1;"),
                    more = at("mad.lo.u32 %0, %1, 2, %1;"), less = at("shr.u32 %0, %1, 1;");
  decide({{"k.cu", shift.c_str(), 0}, {"k.cu", flip.c_str(), 0}, {"k.cu", more.c_str(), 0}, {"k.cu", less.c_str(), 1}});
}

TEST(Doubts, LaunchesThatCannotBeMade) {
  constexpr const char* asked =
      "__attribute__((reqd_work_group_size(32,1,1))) __kernel void k(__global int *a) {\n"
      "a[get_group_id(0) * 64 + get_local_id(0) % 32] = 1 + get_local_id(0); }\n";
  constexpr const char* hint =
      "__attribute__((work_group_size_hint(32,1,1))) __kernel void k(__global int *a) {\n"
      "a[get_global_id(0)] = get_local_id(0); }\n";
  decide({{"k.cl", asked, 0, "", {"--local_size=32", "--num_groups=4"}, true},
          {"k.cl", asked, 0, "", {"--local_size=*", "--num_groups=4"}, true},
          {"k.cl",
           asked,
           3,
           "a group of 16 threads along x cannot be launched: the kernel requires 32",
           {"--local_size=16", "--num_groups=4"},
           true},
          {"k.cl", hint, 0, "", {"--local_size=16", "--num_groups=4"}, true}});
  constexpr const char* bound =
      "__global__ void __launch_bounds__(32) k(int *o) { o[blockIdx.x * 64 + threadIdx.x] = 1; }";
  decide({{"k.cu", bound, 3, "by __launch_bounds__"},
          {"k.cu", bound, 3, "by __launch_bounds__", {"--profile=gpuverify"}}});
}

TEST(Doubts, WhatIsNotThere) {
  decide({{"k.cu", k_plain, 0, "-I names '/not/there', which is no folder", {"-I/not/there"}}});
  decide({{"k.cu", k_plain, 3, "0 verified, 0 errors, 1 not decided", {"--findbugs"}}});
}

// A counter of the last block, with a host that resets it or does not.
std::string counts(const std::string& host) {
  return "__device__ unsigned cnt; cudaGraphExec_t g; cudaGraph_t q;\n"
         "__global__ void k(int *part, int *o) { __shared__ bool last; int t = threadIdx.x; if (t == 0) {\n"
         "part[blockIdx.x] = blockIdx.x; __threadfence(); last = atomicAdd(&cnt, 1) >= gridDim.x - 1; } "
         "__syncthreads();\n"
         "if (last) { int s = 0; for (int i = t; i < gridDim.x; i += 64) s += part[i]; o[t] = s; } }\n"
         "int main(int argc, char **argv) { int *i, *o; cudaMalloc(&i, 4096); cudaMalloc(&o, 4096); unsigned z = 0;\n" +
         host + "}\n";
}

TEST(Doubts, AResetIsOnEveryWay) {
  const std::string reset = "cudaMemcpyToSymbol(cnt, &z, 4); ", launch = "k<<<8, 64>>>(i, o); ",
                    rounds = "for (int n = 0; n < 5; n++) ";
  const auto host = [](const std::string& text, int exit_code, const char* says = "") {
    const std::string file = counts(text);
    decide({{"k.cu", file.c_str(), exit_code, says, {}, true}});
  };
  host(launch, 0);
  host(rounds + "{ " + reset + launch + "}", 0);
  host(reset + launch + reset + launch, 0);
  host("if (argc > 2) { " + reset + launch + "}", 0);
  host(rounds + "{ if (n == 7) " + reset + launch + "}", 3, "no reset is seen before it");
  host(rounds + "{ n == 7 && " + reset + launch + "}", 3, "no reset is seen before it");
  host(launch + "if (argc > 1) " + reset + launch, 3, "was given it before");
  host(launch + "switch (argc) { case 1: " + reset + "break; default:; } " + launch, 3, "was given it before");
  host(launch + "if (argc > 1) goto out; " + reset + "out: " + launch, 3, "was given it before");
  const std::string begin = "cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); ",
                    end = "cudaStreamEndCapture(0, &q); cudaGraphInstantiate(&g, q, 0); ",
                    go = "cudaGraphLaunch(g, 0); ";
  host(begin + launch + end + go, 0);
  host(begin + launch + end + go + go, 3, "its graph is launched again");
  host(reset + begin + launch + end + rounds + go, 3, "its graph is launched again");
  host(begin + reset + launch + end + go + go, 0);
}

// Each of these kernels is right; none of them may be said to be wrong for certain.
TEST(Doubts, RightKernelsAreNotRefutedByMadeUpValues) {
  const std::string cub = "#include <cub/cub.cuh>\n#include <curand_kernel.h>\n";
  const std::string scan = cub +
                           "__global__ void k(const int *in, int *o) { unsigned t = threadIdx.x;\n"
                           "typedef cub::BlockScan<int, 64> BS; __shared__ typename BS::TempStorage ts;\n"
                           "int flag = in[t] > 0, pos, n; BS(ts).ExclusiveSum(flag, pos, n); o += 64 * blockIdx.x;\n";
  const std::vector<std::string> texts = {
      scan + "if (flag) o[pos] = t; }\n",
      scan + "if (n > 99) o[0] = t; }\n",
      scan + "if (n > 3) __syncthreads(); }\n",
      cub +
          "__global__ void k(float *o) { unsigned t = threadIdx.x; curandState s; curand_init(1, t, 0, &s);\n"
          "float a = curand_uniform(&s); if (a > 1.f) o[0] = t; }\n",
      "__global__ void k(int *o) { unsigned t = threadIdx.x; int e; float m = frexpf(8.f, &e);\n"
      "if (e != 4 || m != 0.5f) o[0] = t; }\n",
      "__global__ void k(cudaTextureObject_t x, int *o) { int n = tex1Dfetch<int>(x, 0);\n"
      "for (int i = 0; i < n; i++) __syncthreads(); }\n",
      "__global__ void k(cudaTextureObject_t x, int *o) { o[0] = tex1Dfetch<int>(x, 0); }\n"};
  for (const std::string& text : texts) {
    const auto o = launch::parse({"--blockDim=64", "--gridDim=1", "--timeout=30"});
    const launch::Answer a = answer(*o, make_source("k.cu", text));
    EXPECT_EQ(a.confirmed, 0u) << text << a.out << a.err;
  }
  for (const char* text :
       {"__kernel void k(__global int *o) { int e; float m = frexp(8.f, &e); if (e != 4) o[0] = get_local_id(0); }\n",
        "__kernel void k(__global int *o) { float w; float m = modf(8.5f, &w); if (w != 8.f) o[0] = get_local_id(0); "
        "}\n",
        "__kernel void k(__global int *o) { float w; float m = sincos(0.f, &w); if (w != 1.f) o[0] = get_local_id(0); "
        "}\n"}) {
    const auto o = launch::parse({"--local_size=64", "--num_groups=1", "--timeout=30"});
    const launch::Answer a = answer(*o, make_source("k.cl", text));
    EXPECT_EQ(a.confirmed, 0u) << text << a.out << a.err;
  }
}

// Beside them, what does not hang on such a value is confirmed as before.
TEST(Doubts, WhatComesBeforeAMadeUpValueDecidesIsConfirmed) {
  const std::string cub =
      "#include <curand_kernel.h>\n__global__ void k(float *o) { unsigned t = threadIdx.x; curandState s;\n"
      "curand_init(1, t, 0, &s); float a = curand_uniform(&s); o[t / 2] = t; o[64 + t] = a; }\n";
  decide({{"k.cu", cub.c_str(), 1, "confirmed by a run"}});
}

TEST(Doubts, WhatHasNoModelIsRefusedByName) {
  const std::string text =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(int *o) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int s = 0;\n"
      "cg::invoke_one(t, [&] { s = 1; }); o[blockIdx.x * 64 + threadIdx.x] = s; }\n";
  decide({{"k.cu", text.c_str(), 3, "invoke_one"}});
  decide(
      {{"k.cl",
        "__kernel void k(read_write image1d_t im, __global int *o) { int l = get_local_id(0);\n"
        "write_imagei(im, l, (int4)(l)); work_group_barrier(CLK_IMAGE_MEM_FENCE); o[l] = read_imagei(im, l ^ 1).x; }\n",
        3,
        "CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        {"--local_size=64", "--num_groups=1", "--std=CL2.0"},
        true}});
}

// OpenCL C 3.0, 6.15.15: a read of a read_write image sees what the work item wrote behind a fence of images alone.
TEST(Doubts, AnImageIsReadBehindAWriteWithAFence) {
  const auto kernel = [](const std::string& text) {
    return "__kernel void k(read_write image1d_t im, __global int *o, __global atomic_int *f) "
           "{ int l = get_local_id(0);\n" +
           text + " }\n";
  };
  const std::string write = "write_imagei(im, l, (int4)(l)); ", read = "o[l] = read_imagei(im, l).x; ",
                    fence =
                        "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
                        "memory_scope_work_item); ";
  const auto one = [&](const std::string& text, int code, const char* says = "") {
    const std::string file = kernel(text);
    decide({{"k.cl", file.c_str(), code, says, {"--local_size=64", "--num_groups=1", "--std=CL2.0"}, true}});
  };
  const char* const unfenced = "CLK_IMAGE_MEM_FENCE, memory_order_acq_rel";
  one(write + read, 3, unfenced);
  one(write + fence + read, 0);
  one(read + write, 0);
  one("if (l > 3) { " + write + "} " + read, 3, unfenced);
  one("if (l > 3) { " + write + fence + "} " + read, 0);
  one(write + "if (l > 3) { " + fence + "} " + read, 3, unfenced);
  one("for (int i = 0; i < 3; ++i) { " + read + write + "}", 3, unfenced);
  one("for (int i = 0; i < 3; ++i) { " + read + write + fence + "}", 0);
  one(write + "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item); " + read, 3,
      unfenced);
  one(write + "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_release, memory_scope_work_item); " + read, 3,
      unfenced);
  one(write + "work_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); o[l] = read_imagei(im, l ^ 1).x;", 0);
  one(write + "o[l] = read_imagei(im, l ^ 1).x;", 1, "race");
  // A message whose fences name global memory hands no texel on.
  const std::string handed =
      "if (get_group_id(0) == 0 && l == 0) { write_imagei(im, 0, (int4)(1)); atomic_work_item_fence(FLAGS, "
      "memory_order_release, memory_scope_device); atomic_store_explicit(f, 1, memory_order_relaxed, "
      "memory_scope_device); } else if (get_group_id(0) == 1 && l == 0) { while (atomic_load_explicit(f, "
      "memory_order_relaxed, memory_scope_device) == 0) ; atomic_work_item_fence(FLAGS, memory_order_acquire, "
      "memory_scope_device); o[0] = read_imagei(im, 0).x; }";
  const std::string file = kernel(handed);
  decide({{"k.cl",
           file.c_str(),
           3,
           "fences of images",
           {"--local_size=64", "--num_groups=2", "--std=CL2.0", "-DFLAGS=CLK_GLOBAL_MEM_FENCE"},
           true}});
}

// Atomic functions of OpenCL 1.x have no scope in its text, and that of a work group in OpenCL C 3.0.
TEST(Doubts, AtomicsOfOpenclOneAreOfTheDeviceByAnAssumption) {
  const auto kernel = [](const std::string& parameters, const std::string& text) {
    return "__kernel void k(__global int *d, __global int *l" + parameters + ") { " + text + " }\n";
  };
  const char* const assumed = "gives them the scope of a work group";
  const std::string tickets = kernel("", "int t = atomic_inc(l); d[t] = 1;"),
                    counts = kernel("", "atomic_add(&l[get_global_id(0) & 7], 1);"),
                    apart = kernel("", "atomic_add(&l[get_global_id(0)], 1);"),
                    local = kernel("",
                                   "__local int c; if (get_local_id(0) == 0) c = 0; barrier(CLK_LOCAL_MEM_FENCE);"
                                   " atomic_inc(&c);"),
                    newer = kernel(", __global atomic_int *c", "atomic_fetch_add(c, 1);"),
                    lock = kernel("",
                                  "if (get_local_id(0) == 0) { while (atomic_cmpxchg(l, 0, 1)) ;"
                                  " mem_fence(CLK_GLOBAL_MEM_FENCE); d[0] += 1; mem_fence(CLK_GLOBAL_MEM_FENCE);"
                                  " atomic_xchg(l, 0); }");
  decide({{"tickets.cl", tickets.c_str(), 0, assumed},
          {"strict.cl", tickets.c_str(), 3, assumed, {"--strict"}},
          {"counts.cl", counts.c_str(), 0, assumed},
          {"apart.cl", apart.c_str(), 0, "!scope of a work group"},
          {"local.cl", local.c_str(), 0, "!scope of a work group"},
          {"newer.cl", newer.c_str(), 0, "!scope of a work group"},
          {"group.cl", counts.c_str(), 0, "!scope of a work group", {"--local_size=64", "--num_groups=1"}, true},
          {"lock.cl", lock.c_str(), 1, "race"}});
}

// A constant that nothing outside of the device's code names has its first value.
TEST(Doubts, AConstantThatNobodyWritesHasItsFirstValue) {
  const std::string kernel =
      "__global__ void k(int *o) { int t = blockIdx.x * 64 + threadIdx.x; if (n == 1) o[t] = 1; else o[0] = t; }\n";
  const std::string own = "static __constant__ int n = 1;\n" + kernel,
                    space = "namespace { __constant__ int n = 1; }\n" + kernel,
                    wide = "__constant__ int n = 1;\n" + kernel, other = "static __constant__ int n = 2;\n" + kernel,
                    none = "static __constant__ int n;\n" + kernel,
                    written = own + "void set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n",
                    address = own + "void *get() { void *p; cudaGetSymbolAddress(&p, n); return p; }\n",
                    named = own + "void set(int v) { cudaMemcpyToSymbol(\"n\", &v, 4); }\n",
                    macro = "#define SET(v) cudaMemcpyToSymbol(n, &v, 4)\n" + own + "void set(int v) { SET(v); }\n",
                    left_out = own + "#ifdef SET\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n#endif\n",
                    device = own + "__device__ int get() { return n; }\n",
                    raw = own + "void set(int v) { cudaMemcpyToSymbol(R\"(n)\", &v, 4); }\n",
                    utf = own + "void set(int v) { cudaMemcpyToSymbol(u8\"n\", &v, 4); }\n",
                    long_own =
                        "static __constant__ int nn = 1;\n__global__ void k(int *o) { int t = blockIdx.x * 64 + "
                        "threadIdx.x; if (nn == 1) o[t] = 1; else o[0] = t; }\n",
                    pieces = long_own + "void set(int v) { cudaMemcpyToSymbol(\"n\" \"n\", &v, 4); }\n",
                    module = long_own +
                             "void set(const char *s) { CUdeviceptr p; size_t b; cuModuleGetGlobal(&p, &b, 0, s); }\n",
                    system = long_own + "void *set(const char *s) { return dlsym(0, s); }\n",
                    another = long_own + "__constant__ int w;\nvoid set(int v) { cudaMemcpyToSymbol(w, &v, 4); }\n",
                    stored = own + "__global__ void get(const int **p) { *p = &n; }\n",
                    passed = own + "__device__ void put(const int *);\n__device__ void get() { put(&n); }\n",
                    referred = own + "__device__ const int &get() { return n; }\n",
                    table = "static __constant__ int v[2] = {1, 1};\n__device__ int get(int i) { return v[i & 1]; }\n" +
                            own,
                    absent = "#include \"absent.h\"\n" + own;
  decide({{"own.cu", own.c_str(), 0},
          {"space.cu", space.c_str(), 0},
          {"wide.cu", wide.c_str(), 1, "race"},
          {"other.cu", other.c_str(), 1, "race"},
          {"none.cu", none.c_str(), 1, "race"},
          {"written.cu", written.c_str(), 1, "race"},
          {"address.cu", address.c_str(), 1, "race"},
          {"named.cu", named.c_str(), 1, "race"},
          {"macro.cu", macro.c_str(), 1, "race"},
          {"left out.cu", left_out.c_str(), 1, "race"},
          {"device.cu", device.c_str(), 0},
          {"raw.cu", raw.c_str(), 1, "race"},
          {"utf.cu", utf.c_str(), 1, "race"},
          {"long.cu", long_own.c_str(), 0},
          {"pieces.cu", pieces.c_str(), 1, "race"},
          {"module.cu", module.c_str(), 1, "race"},
          {"system.cu", system.c_str(), 1, "race"},
          {"another.cu", another.c_str(), 0},
          {"stored.cu", stored.c_str(), 1, "race"},
          {"passed.cu", passed.c_str(), 1, "race"},
          {"referred.cu", referred.c_str(), 1, "race"},
          {"table.cu", table.c_str(), 0},
          {"absent.cu", absent.c_str(), 1, "race"}});
}

// The linker takes another file's function in the place of a weak one.
TEST(Doubts, WeakFunctionsMayBeOthers) {
  const auto calls = [](const std::string& kind) {
    return kind +
           " __device__ int at(int i) { return i; }\n__global__ void k(int *o) { o[at(threadIdx.x)] = threadIdx.x; }";
  };
  const std::string weak = calls("__attribute__((weak))"), own = calls(""), of_file = calls("static"),
                    inlined = calls("inline");
  const std::string unused = weak + "\n__global__ void other(int *o) { o[threadIdx.x] = 1; }\n";
  decide({{"weak.cu", weak.c_str(), 3, "the weak function 'at'", {"--gridDim=1"}},
          {"unused.cu", unused.c_str(), 0, "", {"--gridDim=1", "--entry=other"}},
          {"own.cu", own.c_str(), 0, "", {"--gridDim=1"}},
          {"of_file.cu", of_file.c_str(), 0, "", {"--gridDim=1"}},
          {"inlined.cu", inlined.c_str(), 0, "", {"--gridDim=1"}}});
}

}  // namespace
}  // namespace fencepost::verifier
