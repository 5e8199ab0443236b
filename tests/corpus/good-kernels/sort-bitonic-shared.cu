//pass
//--blockDim=256 --gridDim=8

__global__ void sort(int *a) {
  __shared__ int s[256];
  unsigned t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned o = t ^ j;
      if (o > t && ((t & k) == 0) == (s[t] > s[o])) { int v = s[t]; s[t] = s[o]; s[o] = v; }
      __syncthreads();
    }
  a[blockIdx.x * 256 + t] = s[t];
}
