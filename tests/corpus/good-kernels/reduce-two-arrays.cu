//pass
//--blockDim=64 --gridDim=8

__global__ void moments(const float *in, float *mean, float *square) {
  __shared__ float a[64], b[64];
  int t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  a[t] = v;
  b[t] = v * v;
  __syncthreads();
#pragma unroll
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) { a[t] += a[t + d]; b[t] += b[t + d]; }
    __syncthreads();
  }
  if (t == 0) mean[blockIdx.x] = a[0] / 64;
  if (t == 1) square[blockIdx.x] = b[0] / 64;
}
