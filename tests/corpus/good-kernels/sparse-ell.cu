//pass
//--blockDim=128 --gridDim=32

__global__ void spmv(double *y, const double *val, const int *col, const double *x, int n, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  double s = 0;
  for (int k = 0; k < width; k++) {
    int c = col[k * n + r];
    if (c >= 0) s += val[k * n + r] * x[c];
  }
  y[r] = s;
}
