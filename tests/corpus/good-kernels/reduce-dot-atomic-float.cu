//pass
//--blockDim=128 --gridDim=32

__global__ void dot(float *out, const float *a, const float *b, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += a[i] * b[i];
  for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}
