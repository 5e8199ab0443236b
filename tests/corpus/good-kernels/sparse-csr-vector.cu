//pass
//--blockDim=128 --gridDim=32

__global__ void spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n) {
  __shared__ float s[128];
  int t = threadIdx.x, lane = t & 31, r = (blockIdx.x * 128 + t) >> 5;
  if (r < n) {
    float v = 0;
    for (int k = row[r] + lane; k < row[r + 1]; k += 32) v += val[k] * x[col[k]];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) y[r] = v;
  }
}
