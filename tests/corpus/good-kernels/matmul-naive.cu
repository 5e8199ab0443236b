//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && col < n) {
    float s = 0;
    for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
    c[row * n + col] = s;
  }
}
