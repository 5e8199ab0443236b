//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void upsample(float *out, const float *in) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float v = in[y * 64 + x];
  out[(2 * y) * 128 + 2 * x] = v;
  out[(2 * y) * 128 + 2 * x + 1] = v;
  out[(2 * y + 1) * 128 + 2 * x] = v;
  out[(2 * y + 1) * 128 + 2 * x + 1] = v;
}
