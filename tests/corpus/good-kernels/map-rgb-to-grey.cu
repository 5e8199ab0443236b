//pass
//--blockDim=[16,16] --gridDim=[20,15]

__global__ void grey(unsigned char *out, const uchar3 *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    uchar3 p = in[y * width + x];
    out[y * width + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
  }
}
