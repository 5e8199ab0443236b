//pass
//--blockDim=128 --gridDim=8

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void phases(float *a, float *b) {
  cg::grid_group grid = cg::this_grid();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  a[i] = a[i] * 2;
  grid.sync();
  b[i] = a[n - 1 - i];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  void *arguments[] = {&a, &b};
  cudaLaunchCooperativeKernel((void *)phases, dim3(8), dim3(128), arguments);
}
