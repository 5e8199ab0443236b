//pass
//--blockDim=64 --gridDim=8

__global__ void lengths(int *out, const char *const *text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = 0;
  while (text[i][k] != 0) k++;
  out[i] = k;
}
