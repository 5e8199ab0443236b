// Threads of two warps are not ordered by it.
// @Config: 1, 2, 1
// @Output: forall (out[0] == 2)
__global__ void swap(int* out) {
  __shared__ int tile[2];
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncwarp(1);
  out[threadIdx.x] = tile[1 - threadIdx.x];
}
