//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=16
//barrier may be reached by non-uniform control flow

// The mask names lanes that never come.
__global__ void next(const int *in, int *out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x % 32 < 31) v += __shfl_down_sync(0xffffffff, v, 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
