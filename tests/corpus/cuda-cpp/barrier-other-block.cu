// A barrier is of a block: threads of two blocks still race.
// @Config: 1, 1, 2
// @Output: forall (out[0] == 2)
__global__ void exchange(int* data, int* out) {
  data[blockIdx.x] = blockIdx.x + 1;
  __syncthreads();
  out[blockIdx.x] = data[1 - blockIdx.x];
}
