//pass
//--blockDim=256 --gridDim=64

__global__ void merge(unsigned *bins, const unsigned *partial, int count) {
  __shared__ unsigned s[256];
  unsigned v = 0;
  for (int k = threadIdx.x; k < count; k += 256) v += partial[blockIdx.x + k * 64];
  s[threadIdx.x] = v;
  for (int d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
  }
  if (threadIdx.x == 0) bins[blockIdx.x] = s[0];
}
