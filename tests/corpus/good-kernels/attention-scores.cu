//pass
//--blockDim=[16,16] --gridDim=[4,4,8]

__global__ void scores(float *s, const float *q, const float *k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x, h = blockIdx.z;
  float v = 0;
  for (int d = 0; d < 64; d++) v += q[(h * 64 + i) * 64 + d] * k[(h * 64 + j) * 64 + d];
  s[(h * 64 + i) * 64 + j] = j <= i ? v * 0.125f : -1e30f;
}
