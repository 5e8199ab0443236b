//pass
//--blockDim=32 --gridDim=[64,8]

__global__ void rope(float *x, const float *c, const float *s) {
  int pos = blockIdx.x, head = blockIdx.y, d = threadIdx.x;
  float *p = x + (pos * 8 + head) * 64;
  float a = p[d], b = p[d + 32];
  p[d] = a * c[pos * 32 + d] - b * s[pos * 32 + d];
  p[d + 32] = b * c[pos * 32 + d] + a * s[pos * 32 + d];
}
