//pass
//--blockDim=256 --gridDim=16

__global__ void match(int *found, const char *text, int n, const char *pattern, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m > n) return;
  for (int k = 0; k < m; k++)
    if (text[i + k] != pattern[k]) return;
  atomicAdd(found, 1);
}
