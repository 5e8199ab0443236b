//pass
//--blockDim=[8,8] --gridDim=[4,4,16]

__global__ void pool(float *out, const float *in) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, c = blockIdx.z;
  const float *p = in + c * 64 * 64;
  out[(c * 32 + y) * 32 + x] = fmaxf(fmaxf(p[2 * y * 64 + 2 * x], p[2 * y * 64 + 2 * x + 1]), fmaxf(p[(2 * y + 1) * 64 + 2 * x], p[(2 * y + 1) * 64 + 2 * x + 1]));
}
