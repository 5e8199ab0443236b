// Kernels that the host finds in a module, and launches of a graph that it changes: the text does not say which, nor
// how.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// A race with blocks of more than 64 threads.
#define KERNEL "__global__ void ks(int* out) { out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + blockIdx.x; }\n"
#define ROUTINE                                                                                               \
  "typedef struct CUmod_st* CUmodule; typedef struct CUfunc_st* CUfunction;\n"                                \
  "extern \"C\" int cuModuleGetFunction(CUfunction*, CUmodule, const char*);\n"                               \
  "extern \"C\" int cuModuleEnumerateFunctions(CUfunction*, unsigned, CUmodule);\n"                           \
  "extern \"C\" int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,\n" \
  "  unsigned, void*, void**, void**);\n"
#define FOUND(how)                                                             \
  KERNEL ROUTINE                                                               \
      "void run(int* out, CUmodule m, char** argv) {\n  ks<<<4, 64>>>(out);\n" \
      "  CUfunction f; " how                                                   \
      " void* a[] = {&out};\n"                                                 \
      "  cuLaunchKernel(f, 4, 1, 1, 128, 1, 1, 0, 0, a, 0); }\n"
#define CAPTURED(how)                                                                                     \
  "#include <cuda_runtime.h>\n" KERNEL                                                                    \
  "struct Params { void* func; dim3 grid, block; unsigned shared; void** args; void** extra; };\n"        \
  "extern \"C\" int cudaGraphKernelNodeGetParams(cudaGraphNode_t, Params*);\n"                            \
  "extern \"C\" int cudaGraphKernelNodeSetParams(cudaGraphNode_t, const Params*);\n"                      \
  "extern \"C\" int cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const Params*);\n" \
  "extern \"C\" int cudaGraphNodeGetType(cudaGraphNode_t, int*);\n"                                       \
  "void run(int* out, cudaStream_t s, cudaGraphNode_t n, cudaGraphExec_t e, Params* q) {\n"               \
  "  ks<<<4, 64, 0, s>>>(out);\n" how " }\n"

Case verified(const char* text) { return {"f.cu", text, 0, "1 verified, 0 errors", {}, true}; }
Case race(const char* text) {
  return {"f.cu", text, 1, "any size: its name stands there, and no launch is seen", {}, true};
}

TEST(AskedByName, of_a_module) {
  decide({
      race(FOUND("cuModuleGetFunction(&f, m, \"ks\");")),
      race(FOUND("cuModuleGetFunction(&f, m, \"_Z2ksPi\");")),
      race(FOUND("cuModuleGetFunction(&f, m, \"k\" \"s\");")),
      race(FOUND("cuModuleGetFunction(&f, m, \"k\\163\");")),
      race(FOUND("cuModuleGetFunction(&f, m, argv[1]);")),
      race(FOUND("const char* n = argv[1] ? \"no\" : \"ks\"; cuModuleGetFunction(&f, m, n);")),
      race(FOUND("cuModuleEnumerateFunctions(&f, 1, m);")),
      race(FOUND("auto get = &cuModuleGetFunction; get(&f, m, \"other\");")),
      verified(FOUND("cuModuleGetFunction(&f, m, \"other\");")),
  });
}

TEST(AskedByName, of_a_graph) {
  decide({
      race(CAPTURED("  Params p; cudaGraphKernelNodeGetParams(n, &p); p.block = dim3(128);\n"
                    "  cudaGraphKernelNodeSetParams(n, &p);")),
      race(CAPTURED("  cudaGraphExecKernelNodeSetParams(e, n, q);")),
      race(CAPTURED("  Params p; cudaGraphKernelNodeGetParams(n, &p);\n"
                    "  cudaLaunchKernel(p.func, p.grid, dim3(128), p.args, 0, s);")),
      verified(CAPTURED("  int t; cudaGraphNodeGetType(n, &t);")),
  });
}

}  // namespace
}  // namespace fencepost::verifier
