//pass
//--blockDim=128 --gridDim=32

__global__ void row_sums(float *out, const float *a, int cols) {
  __shared__ float s[128];
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += 128) v += a[blockIdx.x * cols + c];
  s[threadIdx.x] = v;
  for (int d = 64; d >= 1; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
