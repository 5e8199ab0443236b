//pass
//--blockDim=256 --gridDim=64

__global__ void sum(const int *in, int *total, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
  atomicAdd(&s, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, s);
}
