//pass
//--blockDim=128 --gridDim=8

__global__ void halves(int *out, const int *in) {
  __shared__ int s[128];
  int t = threadIdx.x, half = t / 64;
  s[t] = in[blockIdx.x * 128 + t];
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  out[blockIdx.x * 128 + t] = s[half * 64 + 63 - t % 64];
}
