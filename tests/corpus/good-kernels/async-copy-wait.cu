//pass
//--blockDim=128 --gridDim=8

#include <cuda_pipeline.h>
__global__ void reverse(int *out, const int *in) {
  __shared__ int s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[blockIdx.x * 128 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
