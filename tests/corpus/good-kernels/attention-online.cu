//pass
//--blockDim=64 --gridDim=16

__global__ void attend(float *out, const float *q, const float *k, const float *v, int n) {
  __shared__ float ks[64][16], vs[64][16];
  int t = threadIdx.x, row = blockIdx.x * 64 + t;
  float qr[16], acc[16], m = -1e30f, l = 0;
  for (int d = 0; d < 16; d++) { qr[d] = q[row * 16 + d]; acc[d] = 0; }
  for (int j0 = 0; j0 < 1024; j0 += 64) {
    for (int d = 0; d < 16; d++) { ks[t][d] = k[(j0 + t) * 16 + d]; vs[t][d] = v[(j0 + t) * 16 + d]; }
    __syncthreads();
    for (int j = 0; j < 64; j++) {
      float s = 0;
      for (int d = 0; d < 16; d++) s += qr[d] * ks[j][d];
      float mm = fmaxf(m, s), c = expf(m - mm), p = expf(s - mm);
      l = l * c + p;
      for (int d = 0; d < 16; d++) acc[d] = acc[d] * c + p * vs[j][d];
      m = mm;
    }
    __syncthreads();
  }
  for (int d = 0; d < 16; d++) out[row * 16 + d] = acc[d] / l;
}
