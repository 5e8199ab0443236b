//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[16][17], bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int t = 0; t < k; t += 16) {
    as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && col < n ? b[(t + threadIdx.y) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) s += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = s;
}
