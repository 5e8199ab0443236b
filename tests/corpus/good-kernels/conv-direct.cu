//pass
//--blockDim=[16,16] --gridDim=[2,2,8]

__global__ void conv(float *out, const float *in, const float *w, int channels) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, o = blockIdx.z;
  float s = 0;
  for (int c = 0; c < channels; c++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) s += in[(c * 34 + y + j) * 34 + x + i] * w[((o * channels + c) * 3 + j) * 3 + i];
  out[(o * 32 + y) * 32 + x] = s;
}
