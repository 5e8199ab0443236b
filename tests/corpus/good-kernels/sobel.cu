//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void sobel(unsigned char *out, const unsigned char *in, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int gx = -in[(y - 1) * w + x - 1] + in[(y - 1) * w + x + 1] - 2 * in[y * w + x - 1] + 2 * in[y * w + x + 1];
  int gy = -in[(y - 1) * w + x - 1] + in[(y + 1) * w + x - 1] - 2 * in[(y - 1) * w + x] + 2 * in[(y + 1) * w + x];
  out[y * w + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}
