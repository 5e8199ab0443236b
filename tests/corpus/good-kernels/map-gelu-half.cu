//pass
//--blockDim=256 --gridDim=8

#include <cuda_fp16.h>
__global__ void gelu(const __half *x, __half *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = __half2float(x[i]);
    y[i] = __float2half(0.5f * v * (1.0f + tanhf(0.7978845f * (v + 0.044715f * v * v * v))));
  }
}
