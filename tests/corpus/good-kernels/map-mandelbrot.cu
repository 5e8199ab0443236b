//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void mandelbrot(unsigned char *out, int width, int height, float x0, float y0, float dx, float dy, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = x0 + px * dx, cy = y0 + py * dy, x = 0, y = 0;
  int k = 0;
  while (x * x + y * y < 4.0f && k < limit) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    k++;
  }
  out[py * width + px] = (unsigned char)(k & 255);
}
