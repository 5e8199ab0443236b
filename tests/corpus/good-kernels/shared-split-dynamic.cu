//pass
//--blockDim=64 --gridDim=8

__global__ void join(float *out, const float *a, const int *k) {
  extern __shared__ char raw[];
  float *f = (float *)raw;
  int *i = (int *)(raw + 64 * sizeof(float));
  int t = threadIdx.x;
  f[t] = a[blockIdx.x * 64 + t];
  i[t] = k[blockIdx.x * 64 + t] & 63;
  __syncthreads();
  out[blockIdx.x * 64 + t] = f[i[63 - t]];
}
