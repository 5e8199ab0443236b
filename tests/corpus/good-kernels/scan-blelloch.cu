//pass
//--blockDim=128 --gridDim=8

__global__ void scan(float *out, const float *in) {
  __shared__ float s[256];
  int t = threadIdx.x, d, offset = 1;
  s[2 * t] = in[blockIdx.x * 256 + 2 * t];
  s[2 * t + 1] = in[blockIdx.x * 256 + 2 * t + 1];
  for (d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[255] = 0;
  for (d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      float v = s[offset * (2 * t + 1) - 1];
      s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
      s[offset * (2 * t + 2) - 1] += v;
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + 2 * t] = s[2 * t];
  out[blockIdx.x * 256 + 2 * t + 1] = s[2 * t + 1];
}
