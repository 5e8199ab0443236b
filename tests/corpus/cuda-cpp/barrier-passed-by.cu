// One thread goes past the first barrier and on to the second.
// @Config: 2, 1, 1
// @Output: forall (out[0] == 1)
__global__ void diverge(int* out) {
  if (threadIdx.x == 0) __syncthreads();
  out[threadIdx.x] = 1;
  __syncthreads();
}
