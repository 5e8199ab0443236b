//pass
//--blockDim=128 --gridDim=8

__global__ void conv(float *out, const float *in, const float *w) {
  __shared__ float s[9];
  if (threadIdx.x < 9) s[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x;
  float v = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) v += s[k] * in[i + k];
  out[i] = v;
}
