//pass
//--blockDim=128 --gridDim=64

__global__ void softmax(float *out, const float *in) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float m = -3e38f, e = 0;
  for (int c = t; c < 512; c += 128) m = fmaxf(m, in[blockIdx.x * 512 + c]);
  s[t] = m;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  for (int c = t; c < 512; c += 128) e += expf(in[blockIdx.x * 512 + c] - m);
  s[t] = e;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  for (int c = t; c < 512; c += 128) out[blockIdx.x * 512 + c] = expf(in[blockIdx.x * 512 + c] - m) / s[0];
}
