//pass
//--blockDim=64 --gridDim=8

#include <cuda/pipeline>
__global__ void twice(float *out, const float *in) {
  __shared__ float s[64];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[t], &in[blockIdx.x * 64 + t], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[blockIdx.x * 64 + t] = 2 * s[t];
  pipe.consumer_release();
}
