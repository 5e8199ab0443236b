//pass
//--blockDim=32 --gridDim=128

__global__ void best(int *out, const float *x) {
  float m = -3e38f;
  int at = 0;
  for (int c = threadIdx.x; c < 1000; c += 32)
    if (x[blockIdx.x * 1000 + c] > m) { m = x[blockIdx.x * 1000 + c]; at = c; }
  for (int d = 16; d; d >>= 1) {
    float om = __shfl_down_sync(0xffffffffu, m, d);
    int oa = __shfl_down_sync(0xffffffffu, at, d);
    if (om > m) { m = om; at = oa; }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = at;
}
