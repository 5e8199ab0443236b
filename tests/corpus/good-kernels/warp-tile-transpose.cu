//pass
//--blockDim=[32,4] --gridDim=8

__global__ void transpose(float *a) {
  __shared__ float s[4][8][33];
  int lane = threadIdx.x, w = threadIdx.y, base = (blockIdx.x * 4 + w) * 256;
  for (int r = 0; r < 8; r++) s[w][r][lane] = a[base + r * 32 + lane];
  __syncwarp();
  for (int r = 0; r < 8; r++) {
    int e = r * 32 + lane;
    a[base + e] = s[w][e % 8][e / 8];
  }
}
