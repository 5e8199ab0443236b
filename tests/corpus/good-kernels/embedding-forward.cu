//pass
//--blockDim=64 --gridDim=128

__global__ void embed(float *out, const float *table, const int *token, int width) {
  for (int c = threadIdx.x; c < 256; c += blockDim.x) out[blockIdx.x * 256 + c] = table[token[blockIdx.x] * 256 + c];
}
