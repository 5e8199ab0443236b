//pass
//--blockDim=128 --gridDim=8

__global__ void apply(float *y, const float *x, const int *op, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (op[i]) {
    case 0: y[i] = x[i]; break;
    case 1: y[i] = -x[i]; break;
    case 2: y[i] = x[i] * x[i]; break;
    default: y[i] = 0; break;
  }
}
