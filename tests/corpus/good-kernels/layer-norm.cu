//pass
//--blockDim=256 --gridDim=64

__global__ void norm(float *x, const float *g, const float *b) {
  __shared__ float s[8], mean, inverse;
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t], a = v;
  for (int d = 16; d; d >>= 1) a += __shfl_xor_sync(0xffffffffu, a, d);
  if (t % 32 == 0) s[t / 32] = a;
  __syncthreads();
  if (t == 0) { float q = 0; for (int k = 0; k < 8; k++) q += s[k]; mean = q / 256; }
  __syncthreads();
  a = (v - mean) * (v - mean);
  for (int d = 16; d; d >>= 1) a += __shfl_xor_sync(0xffffffffu, a, d);
  if (t % 32 == 0) s[t / 32] = a;
  __syncthreads();
  if (t == 0) { float q = 0; for (int k = 0; k < 8; k++) q += s[k]; inverse = rsqrtf(q / 256 + 1e-5f); }
  __syncthreads();
  x[blockIdx.x * 256 + t] = g[t] * (v - mean) * inverse + b[t];
}
