//pass
//--blockDim=256 --gridDim=32

__global__ void spmv(float *y, const float *val, const int *col, const int *row, const float *x, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    float s = 0;
    for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]];
    y[r] = s;
  }
}
