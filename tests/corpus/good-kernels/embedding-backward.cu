//pass
//--blockDim=64 --gridDim=128

__global__ void scatter(float *grad, const float *out, const int *token) {
  for (int c = threadIdx.x; c < 256; c += 64) atomicAdd(&grad[token[blockIdx.x] * 256 + c], out[blockIdx.x * 256 + c]);
}
