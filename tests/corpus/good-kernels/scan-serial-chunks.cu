//pass
//--blockDim=64 --gridDim=4

__global__ void chunk_scan(int *a, int *sums, int chunk) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int k = t * 32; k < t * 32 + 32; k++) { s += a[k]; a[k] = s; }
  sums[t] = s;
}
