//pass
//--blockDim=256 --gridDim=8

__global__ void scan(int *a) {
  __shared__ int sums[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * 256 + threadIdx.x, v = a[i];
  for (int d = 1; d < 32; d <<= 1) {
    int u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0 && lane < 8) {
    int x = sums[lane];
    for (int d = 1; d < 8; d <<= 1) {
      int u = __shfl_up_sync(0xffu, x, d);
      if (lane >= d) x += u;
    }
    sums[lane] = x;
  }
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  a[i] = v;
}
