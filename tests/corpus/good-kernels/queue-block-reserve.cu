//pass
//--blockDim=128 --gridDim=16

__global__ void reserve(int *out, int *tail, const int *in) {
  __shared__ int base;
  int t = threadIdx.x;
  if (t == 0) base = atomicAdd(tail, 128);
  __syncthreads();
  out[base + t] = in[blockIdx.x * 128 + t];
}
