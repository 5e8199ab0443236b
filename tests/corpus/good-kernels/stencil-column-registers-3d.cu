//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void laplace(float *out, const float *in, int nz) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x == 0 || y == 0 || x == 63 || y == 63) return;
  float below = in[y * 64 + x], here = in[4096 + y * 64 + x];
  for (int z = 1; z < nz - 1; z++) {
    float above = in[(z + 1) * 4096 + y * 64 + x];
    out[z * 4096 + y * 64 + x] = above + below - 2 * here;
    below = here;
    here = above;
  }
}
