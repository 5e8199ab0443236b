//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void blur(float *out, const float *in, int w, int h) {
  __shared__ float t[18][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = threadIdx.y; j < 18; j += 16)
    for (int i = threadIdx.x; i < 18; i += 16) {
      int gx = min(max((int)(blockIdx.x * 16) + i - 1, 0), w - 1), gy = min(max((int)(blockIdx.y * 16) + j - 1, 0), h - 1);
      t[j][i] = in[gy * w + gx];
    }
  __syncthreads();
  if (x < w && y < h) {
    float s = 0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) s += t[threadIdx.y + j][threadIdx.x + i];
    out[y * w + x] = s / 9;
  }
}
