//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=4
//divergence.cu:10:5: error: barrier may be reached by non-uniform control flow

// Only half of the block comes to the barrier.
__global__ void halves(int *to, const int *from) {
  __shared__ int s[64];
  s[threadIdx.x] = from[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();
  }
  to[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
