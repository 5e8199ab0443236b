//pass
//--blockDim=64 --gridDim=8

__global__ void hand(int *out, const int *in) {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x - 32] = s[63 - threadIdx.x];
  }
}
