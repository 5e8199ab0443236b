//pass
//--blockDim=256 --gridDim=16

__global__ void horner(double *x, const double *c, int degree, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], s = c[degree];
  for (int k = degree - 1; k >= 0; k--) s = s * v + c[k];
  x[i] = s;
}
