//pass
//--blockDim=[32,8] --gridDim=[8,32]

__global__ void heat(float *out, const float *in, int nx, int ny, float c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    int i = y * nx + x;
    out[i] = in[i] + c * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4 * in[i]);
  }
}
