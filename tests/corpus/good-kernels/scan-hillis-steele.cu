//pass
//--blockDim=256 --gridDim=8

__global__ void scan(int *a) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  a[blockIdx.x * 256 + t] = s[t];
}
