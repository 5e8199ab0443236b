//xfail:NOT_ALL_VERIFIED
//--blockDim=256 --gridDim=16
//race on s

// As warp-sum.cu without its warp barriers.
__global__ void sum(float* out, const float* in) {
  __shared__ float s[256];
  const int tid = threadIdx.x;
  s[tid] = in[blockIdx.x * 256 + tid];
  for (int step = 128; step >= 32; step >>= 1) {
    __syncthreads();
    if (tid < step) s[tid] += s[tid + step];
  }
  if (tid < 32) {
    for (int step = 16; step > 0; step >>= 1) {
      const float x = s[tid + step];
      s[tid] += x;
    }
    if (tid == 0) out[blockIdx.x] = s[0];
  }
}
