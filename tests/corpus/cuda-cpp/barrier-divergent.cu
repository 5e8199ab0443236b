// Threads of a block that come to two different barriers: the guide leaves it undefined.
// @Config: 2, 1, 1
// @Output: forall (out[0] == 1)
__global__ void diverge(int* out) {
  if (threadIdx.x == 0) {
    out[0] = 1;
    __syncthreads();
  } else {
    __syncthreads();
  }
}
