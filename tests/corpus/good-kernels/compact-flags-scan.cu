//pass
//--blockDim=256 --gridDim=8

__global__ void flags(int *flag, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flag[i] = x[i] > 0.5f ? 1 : 0;
}
