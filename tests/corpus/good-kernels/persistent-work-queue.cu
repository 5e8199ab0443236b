//pass
//--blockDim=64 --gridDim=8

__global__ void work(float *out, const float *in, int *next, int items) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    int mine = item;
    __syncthreads();
    if (mine >= items || mine < 0) return;
    out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * 2;
  }
}
