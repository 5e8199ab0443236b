//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void smooth(float *out, cudaTextureObject_t in, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) s += tex2D<float>(in, x + i, y + j);
  out[y * w + x] = s / 9;
}
