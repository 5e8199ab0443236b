//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void matmul(float *c, const float *a, const float *b, int tiles) {
  __shared__ float as[2][16][16], bs[2][16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx, n = 128;
  as[0][ty][tx] = a[row * n + tx];
  bs[0][ty][tx] = b[ty * n + col];
  __syncthreads();
  float s = 0;
  for (int t = 0; t < 8; t++) {
    int now = t & 1;
    if (t + 1 < 8) {
      as[now ^ 1][ty][tx] = a[row * n + (t + 1) * 16 + tx];
      bs[now ^ 1][ty][tx] = b[((t + 1) * 16 + ty) * n + col];
    }
    for (int k = 0; k < 16; k++) s += as[now][ty][k] * bs[now][k][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}
