//pass
//--blockDim=128 --gridDim=16

__global__ void lower_bounds(int *at, const float *keys, int m, const float *sorted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (sorted[mid] < keys[i]) lo = mid + 1;
    else hi = mid;
  }
  at[i] = lo;
}
