//pass
//--blockDim=[32,8] --gridDim=[4,16]

__global__ void fill(char *base, size_t pitch, int width, int height, float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && x < 128 && y < height && pitch == 512) {
    float *row = (float *)(base + y * pitch);
    row[x] = v;
  }
}
