//pass
//--blockDim=256 --gridDim=32

__global__ void sum(const float *in, float *partial, float *out, unsigned *ticket) {
  __shared__ float s[256];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    unsigned n = atomicInc(ticket, gridDim.x - 1);
    __threadfence();
    last = n == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float v = 0;
    for (int k = 0; k < gridDim.x; k++) v += partial[k];
    *out = v;
  }
}
