// What a counter holds when its kernel starts, by all that the host's code does before and beside it: each form that
// leaves 0 there, and the same form without one of the conditions that make it so.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  std::string text;
  int exit_code;          // 0 verified, 3 not decided
  const char* says = "";  // on either stream
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse({});
    ASSERT_TRUE(o);
    const launch::Answer a = answer(*o, make_source("host.cu", c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.text << "\n" << a.out << a.err;
    EXPECT_NE((a.out + a.err).find(c.says), std::string::npos) << c.text << "\n" << a.out << a.err;
  }
}

// The last block adds up what all have written.
std::string kernel(const std::string& counter) {
  return "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
         "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
         "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(" +
         counter +
         ", 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
         "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
         "    out[threadIdx.x] = s; } }\n";
}

const char* const k_memory =
    "float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); unsigned* c; cudaMalloc(&c, 64); ";

std::string host(const std::string& text, const std::string& before = "", const std::string& counter = "c") {
  return before + kernel(counter) + "void unseen();\nint main(int m, char**) { " + k_memory + text + " }\n";
}

const std::string k_go = "k<<<8, 64>>>(c, p, q); ", k_clear = "cudaMemset(c, 0, 4); ", k_start = k_clear + k_go;

TEST(Starts, a_reset_is_on_every_way) {
  const auto resets = [](const std::string& text) { return host(k_start + text + k_go); };
  decide({
      {resets(k_clear), 0, "is 0 when the kernel starts"},
      {resets("if (m > 1) " + k_clear), 3, "was given it before"},
      {resets("if (m > 1) " + k_clear + "else " + k_clear), 0},
      {resets("if (cudaMemset(c, 0, 4) != cudaSuccess) return 1; "), 0},
      {resets("m > 1 ? cudaMemset(c, 0, 4) : cudaMemset(c, 0, 8); "), 0},
      {resets("m > 1 ? cudaMemset(c, 0, 4) : cudaSuccess; "), 3, "was given it before"},
      {resets("m > 1 && cudaMemset(c, 0, 4); "), 3, "was given it before"},
      {resets("switch (m) { case 1: default: " + k_clear + "} "), 0},
      {resets("switch (m) { case 1: " + k_clear + "} "), 3, "was given it before"},
      {resets("switch (m) { case 1: break; default: " + k_clear + "} "), 3, "was given it before"},
      {resets("switch (m) { case 1: " + k_clear + "break; default: " + k_clear + "} "), 0},
      {resets("do " + k_clear + "while (m-- > 1); "), 0},
      {resets("do { if (m > 1) break; " + k_clear + "} while (0); "), 3, "was given it before"},
      {resets("while (m-- > 1) " + k_clear), 3, "was given it before"},
      {resets("try { " + k_clear + "} catch (...) { return 1; } "), 0},
      {resets("try { unseen(); " + k_clear + "} catch (...) { return 1; } "), 0},
      {resets("try { unseen(); " + k_clear + "} catch (...) {} "), 3, "was given it before"},
      {resets("try { if (m > 1) throw 1; " + k_clear + "} catch (...) {} "), 3, "was given it before"},
      {resets("try { unseen(); } catch (...) { " + k_clear + "} "), 3, "was given it before"},
      {resets(k_clear), 0},
      {host(k_start + "if (m > 1) goto end; " + k_clear + k_go + "end: return 0;"), 0},
      {host(k_start + "if (m > 1) goto on; " + k_clear + "on: " + k_go), 3, "was given it before"},
      {host(k_clear + "on: " + k_go + "if (m++ < 5) goto on;"), 3, "is made again"},
      {host("on: " + k_start + "if (m++ < 5) goto on;"), 0},
  });
}

TEST(Starts, what_is_not_evaluated_resets_nothing) {
  const auto resets = [](const std::string& text) { return host(k_start + text + k_go, "#include <assert.h>\n"); };
  decide({
      {resets("assert(cudaMemset(c, 0, 4) == cudaSuccess); "), 3, "was given it before"},
      {resets("assert(m > 0); cudaError_t e = cudaMemset(c, 0, 4); assert(e == cudaSuccess); "), 0},
      {resets("__builtin_assume(cudaMemset(c, 0, 4) == 0); "), 3, "was given it before"},
      {resets("__builtin_assume(m > 0); " + k_clear), 0},
  });
}

TEST(Starts, a_reset_is_of_each_round) {
  decide({
      {host("for (int i = 0; i < 4; ++i) { " + k_start + "}"), 0},
      {host(k_clear + "for (int i = 0; i < 4; ++i) { " + k_go + k_clear + "}"), 0},
      {host(k_clear + "for (int i = 0; i < 4; ++i, cudaMemset(c, 0, 4)) { " + k_go + "}"), 0},
      {host(k_clear + "for (int i = 0; i < 4; ++i) { " + k_go + "if (i == 2) continue; " + k_clear + "}"), 3,
       "is made again"},
      {host(k_clear + "for (int i = 0; i < 4; ++i) { " + k_go + "if (i == 2) break; " + k_clear + "}"), 0},
      {host(k_clear + "for (int i = 0; i < 4; ++i) { " + k_go + "if (i == 2) break; " + k_clear + "} " + k_go), 3},
      {host(k_clear + "for (int i = 0; i < 4; ++i) " + k_go), 3, "is made again"},
      {host("for (int i = 0; i < 4; ++i) { static int once = cudaMemset(c, 0, 4); " + k_go + "}"), 3, "is made again"},
      {host("static int once = cudaMemset(c, 0, 4); " + k_go), 0},
      // Memory of a round.
      {host("for (int i = 0; i < 4; ++i) { unsigned* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4); k<<<8, 64>>>(d, p, q); "
            "cudaFree(d); }"),
       0},
      {host("for (int i = 0; i < 4; ++i) { unsigned* d; cudaMalloc(&d, 4); if (i == 0) cudaMemset(d, 0, 4); "
            "k<<<8, 64>>>(d, p, q); cudaFree(d); }"),
       3, "is made again"},
      {host("unsigned* d[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&d[i], 4); k<<<8, 64>>>(d[1], p, q); "
            "cudaMemset(d[0], 0, 4); k<<<8, 64>>>(d[1], p, q);"),
       3},
  });
}

TEST(Starts, functions_reset_for_their_callers) {
  const std::string reset = "void reset(unsigned* x) { cudaMemset(x, 0, 4); }\n",
                    early = "void reset(unsigned* x, int m) { if (m > 1) return; cudaMemset(x, 0, 4); }\n",
                    sized = "void reset(unsigned* x, int n) { cudaMemset(x, 0, n * sizeof(int)); }\n",
                    later = "void go(unsigned* c, float* p, float* q) { " + k_go + "}\n";
  const auto with = [&](const std::string& text) {
    return kernel("c") + later + "int main(int m, char**) { " + k_memory + text + " }\n";
  };
  decide({
      {host(k_start + "reset(c); " + k_go, reset), 0},
      {host(k_start + "reset(c + 1); " + k_go, reset), 3, "was given it before"},
      {host(k_start + "reset(c, m); " + k_go, early), 3, "was given it before"},
      {host(k_start + "reset(c, 1); " + k_go, sized), 0},
      {host(k_start + "reset(c, 0); " + k_go, sized), 3, "was given it before"},
      {host("unsigned* d; cudaMalloc(&d, 4); " + k_start + "reset(d); " + k_go, reset), 3, "was given it before"},
      {host(k_start + "auto f = [&] { " + k_clear + "}; f(); " + k_go), 0},
      {host(k_start + "auto f = [&] { " + k_clear + "}; " + k_go), 3, "was given it before"},
      {host("auto f = [&] { " + k_clear + "}; f(); " + k_go + k_go), 3, "was given it before"},
      {with(k_clear + "go(c, p, q); " + k_clear + "go(c, p, q);"), 0},
      {with(k_clear + "go(c, p, q); go(c, p, q);"), 3},
      {with("for (int i = 0; i < 4; ++i) { " + k_clear + "go(c, p, q); }"), 0},
      {with(k_clear + "for (int i = 0; i < 4; ++i) go(c, p, q);"), 3},
  });
}

// A call by a value is one of each function that it may be.
TEST(Starts, one_of_several_functions_is_called) {
  const std::string functions =
      "static unsigned* c; static float *p, *q; void unseen();\n"
      "static void rs() { cudaMemset(c, 0, 4); }\nstatic void all() { cudaMemset(c, 0, 64); }\n"
      "static void next() { cudaMemset(c + 1, 0, 4); }\nstatic void none() {}\n"
      "static void go() { k<<<8, 64>>>(c, p, q); }\n";
  const auto calls = [&](const std::string& text) {
    return kernel("c") + functions +
           "int main(int m, char**) { cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); cudaMalloc(&c, 64);"
           " for (int i = 0; i < 3; ++i) { " +
           text + " } }\n";
  };
  const auto made = [&](const std::string& which) {
    return calls("auto at = [](unsigned* x) { return [x] { cudaMemset(x, 0, 4); }; }; auto one = at(c), other = at(" +
                 which + "); (i ? one : other)(); go();");
  };
  const char* const before = "a proof assumes that the counter c is 0";
  decide({
      {calls("(i ? all : rs)(); go();"), 0},
      {calls("(i ? none : rs)(); go();"), 3, before},
      {calls("(i ? next : rs)(); go();"), 3, before},
      {calls("(i ? unseen : rs)(); go();"), 3},
      {calls("void (*f)() = rs; if (i) f = all; f(); go();"), 0},
      {calls("void (*f)() = rs; if (i) f = none; f(); go();"), 3, before},
      {calls("void (*f)() = nullptr; if (m) f = rs; else f = all; f(); go();"), 0},
      {calls("void (*f[])() = {rs, all}; f[i & 1](); go();"), 0},
      {calls("void (*f[])() = {rs, none}; f[i & 1](); go();"), 3, before},
      // What launches may be called again by the same text.
      {calls("rs(); (m ? go : none)();"), 0},
      {calls("for (auto f : {rs, go, go}) f();"), 3, before},
      {made("c"), 0},
      {made("c + 1"), 3},
  });
}

// What a macro decides that another build may define otherwise is said, where a reset may rest on it.
TEST(Starts, a_reset_may_rest_on_macros_of_a_build) {
  const std::string check = "#ifdef NDEBUG\n#define CK(x)\n#else\n#define CK(x) x\n#endif\n";
  const std::string said = "NDEBUG is as it is here";
  decide({
      {host(k_start + "CK(" + "cudaMemset(c, 0, 4));" + k_go, check), 0, said.c_str()},
      {host(k_start + "cudaMemset(c, 0, 4); CK(m)" + k_go, check), 0, said.c_str()},
  });
}

TEST(Starts, a_reset_is_of_these_bytes) {
  const std::string driver =
      "typedef unsigned long long CUdeviceptr;\nint cuMemsetD32(CUdeviceptr, unsigned, size_t);\n"
      "int cuMemsetD8(CUdeviceptr, unsigned char, size_t);\n";
  const auto resets = [](const std::string& text) { return host(k_start + text + k_go); };
  decide({
      {resets("cudaMemset((char*)c + 1, 0, 3); "), 3, "was given it before"},
      {resets("cudaMemset2D(c, 8, 0, 4, 2); "), 0},
      {resets("cudaMemset2D(c + 1, 8, 0, 4, 2); "), 3, "was given it before"},
      {resets("cudaMemset2D(c, 8, 0, 2, 2); "), 3, "was given it before"},
      {resets("cudaMemset2D(c, 8, 0, 4, 0); "), 3, "was given it before"},
      {driver + resets("cuMemsetD32((CUdeviceptr)c, 0, 1); "), 0},
      {driver + resets("cuMemsetD32((CUdeviceptr)c, 2, 1); "), 3, "the host sets it otherwise"},
      {driver + resets("cuMemsetD8((CUdeviceptr)c, 0, 1); "), 3, "was given it before"},
      {resets("unsigned z = 0; cudaMemcpy(c, &z, 4, cudaMemcpyHostToDevice); "), 0},
      {resets("unsigned z = 0; cudaMemcpy(c, &z, 4, cudaMemcpyDefault); "), 0},
      {resets("unsigned z = 0; cudaMemcpy(c, &z, 4, cudaMemcpyDeviceToHost); "), 3, "the host sets it otherwise"},
      {resets("unsigned z = 0; cudaMemcpy(c, &z, 4, (cudaMemcpyKind)m); "), 3, "the host sets it otherwise"},
  });
}

TEST(Starts, work_of_streams_has_an_order) {
  const auto in = [](const std::string& s) { return "k<<<8, 64, 0, " + s + ">>>(c, p, q); "; };
  const auto clears = [](const std::string& s) { return "cudaMemsetAsync(c, 0, 4, " + s + "); "; };
  const std::string waits = "cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); ",
                    alone =
                        "cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); "
                        "cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking); ",
                    array = "cudaStream_t s[2]; for (int i = 0; i < 2; ++i) cudaStreamCreate(&s[i]); ",
                    rounds = "for (int i = 0; i < 4; ++i) { ";
  const char* const beside = "may be of another stream";
  decide({
      {host(alone + clears("s") + in("s") + clears("s") + in("s")), 0},
      {host(alone + clears("s") + in("t")), 3, beside},
      {host(alone + clears("s") + "cudaStreamSynchronize(s); " + in("t")), 0},
      {host(alone + clears("s") + "cudaStreamSynchronize(t); " + in("t")), 3, beside},
      {host(alone + clears("s") + "cudaDeviceSynchronize(); " + in("t")), 0},
      {host(alone + clears("s") + in("s") + clears("t")), 3, beside},
      {host(alone + k_clear + in("s")), 3, beside},
      {host(alone + k_clear + "cudaDeviceSynchronize(); " + in("s")), 0},
      {host(waits + k_clear + in("s") + k_clear + in("s")), 0},
      {host(waits + k_clear + in("s") + k_clear + in("t")), 0},
      {host(waits + clears("0") + in("s") + clears("0") + in("t")), 0},
      {host(waits + clears("t") + in("s")), 3, beside},
      {host(waits + k_clear + in("s") + in("t")), 3, beside},
      {host("cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamDefault); " + k_clear + in("s") + k_clear +
            in("s")),
       0},
      {host("cudaStream_t s; cudaStreamCreateWithFlags(&s, m); " + k_clear + in("s")), 3, beside},
      // Variables of streams.
      {host(waits + "cudaStream_t u = s; " + clears("u") + in("u") + clears("u") + in("u")), 0},
      {host(waits + "cudaStream_t u = s; " + clears("u") + in("u") + clears("s") + in("s")), 0},
      {host(waits + "cudaStream_t u = s; " + clears("u") + in("u") + "u = t; " + clears("u") + in("u")), 3, beside},
      {host(array + rounds + clears("s[i & 1]") + in("s[i & 1]") + "}"), 3, beside},
      {host(array + rounds + k_clear + in("s[i & 1]") + "}"), 0},
      {host("cudaStream_t make(); cudaStream_t s = make(); " + clears("s") + in("s")), 0},
      {host("cudaStream_t make(); " + rounds + "cudaStream_t s = make(); " + clears("s") + in("s") + "}"), 3, beside},
      {kernel("c") + "void go(unsigned* c, float* p, float* q, cudaStream_t s) { " + clears("s") + in("s") + "}\n", 0},
      {kernel("c") + "void go(unsigned* c, float* p, float* q, cudaStream_t s, cudaStream_t t) { " + clears("s") +
           in("t") + "}\n",
       3, beside},
      {kernel("c") +
           "struct S { cudaStream_t s; S() { cudaStreamCreate(&s); }\n void go(unsigned* c, float* p, float* q) { " +
           clears("s") + in("s") + "} };\n",
       0},
      {kernel("c") +
           "struct S { cudaStream_t s; S() { cudaStreamCreate(&s); }\n void go(unsigned* c, float* p, float* q, "
           "cudaStream_t t) { " +
           clears("s") + "s = t; " + in("s") + "} };\n",
       3, beside},
  });
}

TEST(Starts, the_host_writes_while_no_kernel_runs) {
  const std::string memory = "unsigned* n; cudaMallocManaged(&n, 4); *n = 0; ", go = "k<<<8, 64>>>(n, p, q); ";
  decide({
      {host(memory + go), 0},
      {host(memory + go + "cudaDeviceSynchronize(); *n = 0; " + go), 0},
      {host(memory + go + "*n = 0; " + go), 3, "may be done beside it"},
      {host(memory + go + "cudaDeviceSynchronize(); *n = 1; " + go), 3, "the host sets it otherwise"},
      {host(memory + go + "cudaDeviceSynchronize(); memset(n, 0, 4); " + go), 0},
      {host(memory + go + "memset(n, 0, 4); " + go), 3, "may be done beside it"},
      {host("unsigned n[1] = {0}; cudaHostRegister(n, 4, 0); " + go), 0},
      {host("unsigned n[1] = {2}; cudaHostRegister(n, 4, 0); " + go), 3, "the host sets it otherwise"},
      {host("unsigned* n = new unsigned(0); cudaHostRegister(n, 4, 0); " + go), 0},
      {host("unsigned* n = new unsigned(2); cudaHostRegister(n, 4, 0); " + go), 3, "the host sets it otherwise"},
      {host("unsigned* n; cudaMallocManaged(&n, 4); cudaGetDeviceCount((int*)n); " + go), 3},
  });
}

TEST(Starts, several_threads_do_not_share_a_counter) {
  const std::string later = "template <class F> void later(F f);\ntemplate <class F> void now(F f) { f(); }\n",
                    body = "[=] { " + k_start + "}";
  const char* const any_time = "may be done at any time";
  decide({
      {host("now(" + body + "); now(" + body + ");", later), 0},
      {host("later(" + body + ");", later), 3, any_time},
      {host("for (int i = 0; i < 2; ++i) later(" + body + ");", later), 3, any_time},
      {host(k_start + "later([=] { " + k_clear + "});", later), 3, any_time},
      {host(k_start + "later([=] { cudaMemset(p, 0, 4); });", later), 0},
      {host("\n#pragma unroll\nfor (int i = 0; i < 4; ++i) { " + k_start + "}"), 0},
      {host("\n#pragma omp parallel for\nfor (int i = 0; i < 4; ++i) { " + k_start + "}"), 3, any_time},
      {host("\n#pragma omp parallel for \\\n  schedule(static)\n// rounds\nfor (int i = 0; i < 4; ++i) { " + k_start +
            "}"),
       3, any_time},
      {host("\n#pragma omp parallel\n{ " + k_start + "}"), 3, any_time},
      {host("\n#pragma omp parallel for\nfor (int i = 0; i < 4; ++i) m += i;\n" + k_start), 0},
      {host("FOR(4) { " + k_start + "}", "#define FOR(n) _Pragma(\"omp parallel for\") for (int i = 0; i < n; ++i)\n"),
       3, any_time},
      {host("FOR(4) m += i; " + k_start, "#define FOR(n) _Pragma(\"omp parallel for\") for (int i = 0; i < n; ++i)\n"),
       0},
      {host("FOR(4) { " + k_start + "}", "#define FOR(n) _Pragma(\"unroll\") for (int i = 0; i < n; ++i)\n"), 0},
      {host("P(parallel for) for (int i = 0; i < 4; ++i) { " + k_start + "}",
            "#define STR(x) #x\n#define P(x) _Pragma(STR(omp x))\n"),
       3, any_time},
      {host("[[omp::directive(parallel for)]] for (int i = 0; i < 4; ++i) { " + k_start + "}"), 3, any_time},
      {host("struct G { unsigned* c; ~G() { cudaMemset(c, 1, 4); } } g{c}; " + k_start), 3, any_time},
      {host("struct G { unsigned* c; ~G() { cudaFree(c); } } g{c}; " + k_start), 0},
  });
}

TEST(Starts, graphs_are_launched_in_one_stream) {
  const std::string graph =
      "cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaGraph_t g; cudaGraphExec_t "
      "e, f; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMemsetAsync(c, 0, 4, s); "
      "k<<<8, 64, 0, s>>>(c, p, q); cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0); "
      "cudaGraphInstantiate(&f, g, 0); ";
  decide({
      {host(graph + "cudaGraphLaunch(e, s);"), 0},
      {host(graph + "for (int i = 0; i < 2; ++i) cudaGraphLaunch(e, s);"), 0},
      {host(graph + "cudaGraphLaunch(e, s); cudaGraphLaunch(f, s);"), 0},
      {host(graph + "cudaGraphLaunch(e, s); cudaGraphLaunch(f, t);"), 3, "in what may be another stream"},
      {host(graph + "cudaGraphLaunch(e, s); " + k_go), 3, "has no order with a graph"},
  });
}

TEST(Starts, variables_of_the_device) {
  const std::string n = "__device__ unsigned n;\n", zero = "unsigned z = 0; ", copy = "cudaMemcpyToSymbol(n, &z, 4); ";
  const auto with = [&](const std::string& text) { return host(text, n, "&n"); };
  decide({
      {with(k_go), 0},
      {with(zero + k_go + copy + k_go), 0},
      {with(zero + k_go + "cudaMemcpyToSymbol(n, &z, 2); " + k_go), 3, "was given it before"},
      {with(zero + k_go + "cudaMemcpyToSymbol(n, &z, 4, 0, cudaMemcpyDeviceToHost); " + k_go), 3,
       "the host sets it otherwise"},
      {with("void* a; cudaGetSymbolAddress(&a, n); " + k_go + "cudaMemset(a, 0, 4); " + k_go), 0},
      {with("void* a; cudaGetSymbolAddress(&a, n); " + k_go + "cudaMemset(a, 0, 2); " + k_go), 3,
       "was given it before"},
      {with("CUdeviceptr a; size_t b; cuModuleGetGlobal(&a, &b, 0, \"n\"); cuMemsetD32(a, 4, 1); " + k_go), 3,
       "by its name"},
      {with("unsigned v = 5; cudaMemcpyToSymbol(\"n\", &v, 4); " + k_go), 3, "by its name"},
  });
}

TEST(Starts, a_function_that_is_not_there_may_set_it) {
  const std::string unknown = "void use(unsigned*);\nvoid look(const float*);\n";
  decide({
      {host("look(p); " + k_start, unknown), 0},
      {host("use(c); " + k_start, unknown), 3, "functions whose text is not there"},
      {host("struct S { unsigned* c; } s{c}; unsigned** d; cudaMalloc(&d, 8); "
            "cudaMemcpy(d, &s, sizeof s, cudaMemcpyHostToDevice); " +
            k_start),
       3, "functions whose text is not there"},
      {host("cudaPitchedPtr w; w.ptr = c; cudaExtent x; cudaMemset3D(w, 1, x); " + k_go), 3,
       "functions whose text is not there"},
  });
}

// A size that is not a number clears what it is shown to clear.
TEST(Starts, a_reset_clears_what_its_size_says) {
  const auto resets = [](const std::string& text, const std::string& before = "") {
    return host(k_start + text + k_go, before);
  };
  const char* const again = "was given it before";
  const std::string parts =
      "__global__ void k(unsigned* f, int* d, int* out) { int t = threadIdx.x, w = blockIdx.x; d[w * 64 + t] = t + w;\n"
      "  __syncthreads(); if (t == 0) { __threadfence(); atomicExch(&f[w], 1u); }\n"
      "  if (t == 0 && w > 0) { while (atomicAdd(&f[w - 1], 0u) != 1u); __threadfence(); }\n"
      "  __syncthreads(); if (w > 0) out[w * 64 + t] = d[(w - 1) * 64 + t]; }\n";
  const auto flags = [&](const std::string& text) {
    return parts + "int main(int m, char**) { unsigned* f; int *d, *o; cudaMalloc(&d, 65536); cudaMalloc(&o, 65536); " +
           text + "k<<<64, 64>>>(f, d, o); }\n";
  };
  decide({
      {resets("int n = 1; cudaMemset(c, 0, n * 4); "), 0},
      {resets("int n = 1; cudaMemset(c, 0, n * sizeof(unsigned)); "), 0},
      {resets("const size_t n = sizeof *c; cudaMemset(c, 0, n); "), 0},
      {resets("int n = 4; n = 0; cudaMemset(c, 0, n); "), 3, again},
      {resets("int n = 4; auto f = [&] { n = 0; }; f(); cudaMemset(c, 0, n); "), 3, again},
      {resets("unsigned char n = 256; cudaMemset(c, 0, n); "), 3, again},
      {resets("unsigned n = 1u << 20; cudaMemset(c, 0, n * 4096); "), 3, again},
      {resets("cudaMemset(c, 0, (m - 1) * sizeof(unsigned)); "), 3, again},
      {resets("cudaMemset(c, 0, m > 1 ? 4 : 0); "), 3, again},
      {resets("cudaMemset(c, 0, size()); ", "int size() { return 0; }\n"), 3, again},
      {resets("cudaMemset(c, 0, size); ", "static int size;\n"), 3, again},
      {resets("S s; cudaMemset(c, 0, s.n); ", "struct S { int n = 0; };\n"), 3, again},
      {resets("unsigned z[4] = {}; cudaMemcpy(c, z, (m - 1) * 4, cudaMemcpyHostToDevice); "), 3, again},
      {resets("cudaMemset2D(c, 4, 0, m - 1, 1); "), 3, again},
      {resets("cudaMemset2D(c, 4, 0, 4, m - 1); "), 3, again},
      {host("for (int i = 0; i < 3; ++i) { cudaMemset(c, 0, i * 4); " + k_go + "}"), 3},
      // The size of the memory, where nothing has changed it.
      {flags("int n = m; cudaMalloc(&f, n * 4); cudaMemset(f, 0, n * 4); "), 0},
      {flags("int n = m; cudaMalloc(&f, n * 4); cudaMemset(f, 0, 4 * n); "), 0},
      {flags("int n = m; cudaMalloc(&f, n * sizeof(int)); cudaMemset(f, 0, sizeof(int) * n); "), 0},
      {flags("const size_t n = m * 4; cudaMalloc(&f, n); cudaMemset(f, 0, n); "), 0},
      {flags("int n = m; size_t b = n * sizeof(int); cudaMalloc(&f, b); cudaMemset(f, 0, n * sizeof(int)); "), 0},
      {flags("int n; n = m; cudaMalloc(&f, n * 4); cudaMemset(f, 0, n * 4); "), 0},
      {flags("int n; n = m; cudaMalloc(&f, n * 4); n = 1; cudaMemset(f, 0, n * 4); "), 3, "does not reach it"},
      {flags("int n; n = m; int* p = &n; cudaMalloc(&f, n * 4); *p = 1; cudaMemset(f, 0, n * 4); "), 3},
      {flags("int n; n = m; auto g = [&] { n = 1; }; cudaMalloc(&f, n * 4); g(); cudaMemset(f, 0, n * 4); "), 3},
      {flags("int n = m; cudaMalloc(&f, n * 8); cudaMemset(f, 0, n * 4); "), 3},
      {flags("cudaMalloc(&f, 256); cudaMemset(f, 0, m); "), 3},
      {flags("int n = 16; cudaMalloc(&f, 256); cudaMemset(f, 0, n * 4); "), 3},
      {flags("int n = 64; cudaMalloc(&f, 256); cudaMemset(f, 0, n * 4); "), 0},
      // Memory that outlives the round, and the call, whose size it has.
      {parts + "int main(int m, char**) { int *d, *o; cudaMalloc(&d, 65536); cudaMalloc(&o, 65536);\n"
               "  for (int i = 0; i < m; ++i) { unsigned* f; int n = i + 9; cudaMalloc(&f, n * 4);\n"
               "    cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o); cudaFree(f); } }\n",
       0},
      {parts + "int main(int m, char**) { int *d, *o; cudaMalloc(&d, 65536); cudaMalloc(&o, 65536);\n"
               "  unsigned* f = nullptr; for (int i = 0; i < m; ++i) { int n = 64 - i; if (!f) cudaMalloc(&f, n * 4);\n"
               "    cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o); } }\n",
       3},
      {parts + "static void step(int n, int* d, int* o) { static unsigned* f; if (!f) cudaMalloc(&f, n * 4);\n"
               "  cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o); }\n"
               "int main(int m, char**) { int *d, *o; cudaMalloc(&d, 65536); cudaMalloc(&o, 65536);\n"
               "  for (int i = 0; i < m; ++i) step(64 - i, d, o); }\n",
       3},
      // A caller who is not there says how much there is.
      {parts + "void go(unsigned* f, int* d, int* o, int n) { cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o); }\n", 0},
      {parts + "void go(unsigned* f, int* d, int* o, int n) { cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o);\n"
               "  cudaMemset(f, 0, n * 4); k<<<64, 64>>>(f, d, o); }\n",
       3, again},
  });
}

// Whoever has a function's address may call it at any time, and all that it calls.
TEST(Starts, a_function_whose_address_is_taken_runs_at_any_time) {
  const std::string any = "may be done at any time",
                    memory =
                        "unsigned* c; float *p, *q; void init() { cudaMalloc(&c, 4); cudaMalloc(&p, 4096); "
                        "cudaMalloc(&q, 4096); }\n",
                    once = "void once(int) { " + k_start + "}\n",
                    run = "void* run(void*) { once(1); return nullptr; }\n";
  const auto with = [&](const std::string& main, const std::string& before = "", const std::string& behind = "") {
    return before + kernel("c") + memory + once + behind + "int main(int m, char**) { init(); " + main + " }\n";
  };
  const std::string start = "int start(void (*)(int));\n", generic = "template <class... T> void start(T...);\n";
  decide({
      {with("once(1); once(2);"), 0},
      {with("void (*f)(int) = once; f(1); f(2);"), 0},
      {with("auto& f = once; f(1); f(2);"), 0},
      {with("start(once); once(2);", start), 3, any.c_str()},
      {with("start(&once); once(2);", start), 3, any.c_str()},
      {with("start(*once); once(2);", start), 3, any.c_str()},
      {with("auto& f = once; start(f);", start), 3, any.c_str()},
      {with("start(m > 1 ? once : nullptr);", start), 3, any.c_str()},
      {with("start([](int i) { once(i); });", start), 3, any.c_str()},
      {with("start(once, 1);", generic), 3, any.c_str()},
      {with("start([](auto i) { once(i); });", start), 3, any.c_str()},
      {with("void (*f)(int) = [](int i) { once(i); }; f(1); f(2);"), 0},
      {with("void (*f)(int) = [](int i) { once(i); }; start(f);", start), 3, any.c_str()},
      {with("start<once>();", "template <void (*F)(int)> void start();\n"), 3, any.c_str()},
      {with("unknown(once, 1);"), 3, any.c_str()},
      {with("unknown_t t; unknown(&t, nullptr, once, nullptr);"), 3, any.c_str()},
      {with("unknown_t t; unknown(&t, 0, run, 0); unknown(&t, 0, run, 0);", "", run), 3, any.c_str()},
      {with("std::thread x(once, 1); once(2);"), 3, any.c_str()},
      {with("auto x = std::async(std::launch::async, [] { once(1); });"), 3, any.c_str()},
      {with("PARALLEL_FOR(i, 4) { once(i); }"), 3, any.c_str()},
      {with("once(1); lib::bind(go)();", "", "void go() { once(1); }\n"), 3, any.c_str()},
      {with("once(1); lib::bind(other)();", "", "int h; void other() { h = 1; }\n"), 0},
      {with("CreateThread(0, 0, start, 0, 0, 0);", "", "DWORD WINAPI start(LPVOID) { once(1); return 0; }\n"), 3,
       any.c_str()},
      {with("atexit(last);", "", "void last() { once(1); }\n"), 3, any.c_str()},
      {with("void other(); start(other); once(1);", "int start(void (*)());\n", "int h; void other() { h = 1; }\n"), 0},
      {with("J j; j.start();", "", "struct J { virtual void run() { once(1); } void start(); };\n"), 3, any.c_str()},
  });
}

// The host comes to one place again by ways that its text does not show.
TEST(Starts, a_jump_from_elsewhere_leaves_nothing_known) {
  const std::string jumps = "extern \"C\" int _setjmp(void*);\nextern \"C\" void longjmp(void*, int);\nlong at[64];\n",
                    forks = "extern \"C\" int fork();\n";
  decide({
      {host(k_clear + "int n = _setjmp(at); " + k_go + "if (n < 3) longjmp(at, n + 1);", jumps), 3, "may come back"},
      {host(k_clear + "fork(); " + k_go, forks), 3, "may come back"},
      {host(k_clear + "j(at); " + k_go, "int j(void*) asm(\"_setjmp\"); long at[64];\n"), 3, "may come back"},
      {host(k_clear + "j(at); " + k_go, "int j(void*) asm(\"_jump\"); long at[64];\n"), 3, "has a second name"},
      {host(k_clear + "__setjmp(at); " + k_go, "int __setjmp(void*); long at[64];\n"), 3, "may come back"},
      {host(k_clear + "j(0); " + k_go, "__attribute__((returns_twice)) int j(void*);\n"), 3, "may come back"},
      {host(k_clear + "__libc_fork(); " + k_go, "extern \"C\" int __libc_fork();\n"), 3, "may come back"},
      {host(k_clear + "syscall(57); " + k_go, "long syscall(long, ...);\n"), 3, "may come back"},
      {host(k_clear + "syscall(SYS_gettid); " + k_go), 0},
      {host("m = r->fork; " + k_start, "struct R { int fork_; } *r;\n"), 0},
  });
}

TEST(Starts, the_linker_finds_functions_by_their_names) {
  const auto with = [](const std::string& text, const std::string& behind = "") {
    return kernel("c") + "unsigned* c; float *p, *q; void go() { " + k_go + "}\n" + behind +
           "int main() { cudaMalloc(&c, 4); cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); " + k_clear + "go(); " + text +
           " }\n";
  };
  decide({
      {with("asm(\"call _Z2gov\");"), 3, "may come back"},
      {with("asm volatile(\"cpuid\" ::: \"eax\", \"ebx\", \"ecx\", \"edx\");"), 0},
      {with("i();",
            "extern \"C\" { typedef void (*F)(); F pick() { return go; } } void i() "
            "__attribute__((ifunc(\"pick\")));\n"),
       3},
      {with("((void (*)())dlsym(0, \"_Z2gov\"))();"), 3, "may come back"},
  });
}

TEST(Starts, the_driver_turns_to_another_device) {
  const std::string rounds = "for (int i = 0; i < 4; ++i) { ";
  decide({
      {host(rounds + "cuCtxSetCurrent((CUcontext)all[i]); " + k_start + "}"), 3, "nothing declares cuCtxSetCurrent"},
      {host("cudaStream_t s; cudaStreamCreate(&s); " + rounds +
            "cuStreamBeginCapture((CUstream)s, 0); cudaMemsetAsync(c, 0, 4, s); cuStreamEndCapture((CUstream)s, &g); "
            "k<<<8, 64, 0, s>>>(c, p, q); }"),
       3},
  });
}

// A function of another file sees the pointers that this one gives to all.
TEST(Starts, another_file_may_set_what_global_pointers_lead_to) {
  const std::string all = "unsigned* g; ", own = "static unsigned* g; ";
  const char* const set = "the host sets it otherwise";
  decide({
      {host("g = c; " + k_clear + "unseen(); " + k_go, all), 3, set},
      {host("g = c; unseen(); " + k_start, all), 0},
      {host("g = c; " + k_clear + "unseen(); " + k_go, own), 0},
      {host(k_clear + "unseen(); " + k_go, all), 0},
      {host("s.c = c; " + k_clear + "unseen(); " + k_go, "struct S { unsigned* c; } s;\n"), 3, set},
  });
}

}  // namespace
}  // namespace fencepost::verifier
