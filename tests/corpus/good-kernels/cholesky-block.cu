//pass
//--blockDim=32 --gridDim=64

__global__ void cholesky(float *a) {
  __shared__ float s[32][33];
  int t = threadIdx.x;
  for (int r = 0; r < 32; r++) s[r][t] = a[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
  for (int k = 0; k < 32; k++) {
    if (t == k) s[k][k] = sqrtf(s[k][k]);
    __syncthreads();
    if (t > k) s[t][k] /= s[k][k];
    __syncthreads();
    if (t > k)
      for (int j = k + 1; j <= t; j++) s[t][j] -= s[t][k] * s[j][k];
    __syncthreads();
  }
  for (int r = 0; r < 32; r++) a[blockIdx.x * 1024 + r * 32 + t] = s[r][t];
}
