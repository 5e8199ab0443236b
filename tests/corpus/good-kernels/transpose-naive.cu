//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void transpose(float *out, const float *in, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
