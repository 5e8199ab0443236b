// @Config: 1, 2, 1
// tile-ai/tilelang#1026: a barrier in a branch that some threads take.
// A reduction in our own words. As it was.
__global__ void branch(int* out) {
  __shared__ int s;
  if (threadIdx.x == 0) {
    s = 4;
    __syncthreads();
  }
  __syncthreads();
  out[threadIdx.x] = s;
}
