//pass
//--blockDim=64 --gridDim=1

__global__ void needleman(int *h, const char *a, const char *b) {
  __shared__ int s[65][66];
  int t = threadIdx.x;
  s[0][t] = -t;
  s[t + 1][0] = -(t + 1);
  if (t == 0) s[0][64] = -64;
  __syncthreads();
  for (int d = 0; d < 127; d++) {
    int i = t + 1, j = d - t + 1;
    if (j >= 1 && j <= 64) {
      int m = s[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 1 : -1);
      s[i][j] = max(m, max(s[i - 1][j], s[i][j - 1]) - 1);
    }
    __syncthreads();
  }
  for (int j = 0; j <= 64; j++) h[(t + 1) * 65 + j] = s[t + 1][j];
}
