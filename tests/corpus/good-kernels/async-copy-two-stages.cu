//pass
//--blockDim=64 --gridDim=8

#include <cuda_pipeline.h>
__global__ void sums(float *out, const float *in, int tiles) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float v = 0;
  __pipeline_memcpy_async(&s[0][t], &in[blockIdx.x * 1024 + t], 4);
  __pipeline_commit();
  for (int k = 0; k < 16; k++) {
    if (k + 1 < 16) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[blockIdx.x * 1024 + (k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    v += s[k & 1][63 - t];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = v;
}
