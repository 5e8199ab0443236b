//pass
//--blockDim=256 --gridDim=16

__global__ void compact(int *out, const int *in, int *sizes) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  int v = in[blockIdx.x * 256 + threadIdx.x];
  if (v != 0) {
    int p = atomicAdd(&c, 1);
    out[blockIdx.x * 256 + p] = v;
  }
  __syncthreads();
  if (threadIdx.x == 0) sizes[blockIdx.x] = c;
}
