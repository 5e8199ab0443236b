//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void matmul(float *c, const float *a, const float *b, int k) {
  __shared__ float as[16][64], bs[16][64];
  float acc[4][4] = {};
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int j = 0; j < 4; j++) {
      int e = t + j * 256;
      as[e / 64][e % 64] = a[(blockIdx.y * 64 + e % 64) * k + k0 + e / 64];
      bs[e / 64][e % 64] = b[(k0 + e / 64) * 256 + blockIdx.x * 64 + e % 64];
    }
    __syncthreads();
    for (int kk = 0; kk < 16; kk++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) acc[i][j] += as[kk][ty * 4 + i] * bs[kk][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + ty * 4 + i) * 256 + blockIdx.x * 64 + tx * 4 + j] = acc[i][j];
}
