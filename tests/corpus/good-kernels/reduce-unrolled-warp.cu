//pass
//--blockDim=256 --gridDim=16

template <unsigned n> __global__ void sum(const int *in, int *out) {
  __shared__ int s[n];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  if (n >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
  if (n >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (t < 32) {
    int v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}
template __global__ void sum<256>(const int *, int *);
