//pass
//--blockDim=128 --gridDim=8

__global__ void sort(int *a, int rounds) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  s[t + 128] = a[blockIdx.x * 256 + t + 128];
  __syncthreads();
  for (int r = 0; r < 256; r++) {
    int i = 2 * t + (r & 1);
    if (i + 1 < 256 && s[i] > s[i + 1]) { int v = s[i]; s[i] = s[i + 1]; s[i + 1] = v; }
    __syncthreads();
  }
  a[blockIdx.x * 256 + t] = s[t];
  a[blockIdx.x * 256 + t + 128] = s[t + 128];
}
