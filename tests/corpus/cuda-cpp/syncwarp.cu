// __syncwarp orders memory among the threads of a warp.
// @Config: 2, 1, 1
// @Output: forall (out[0] == 2 and out[1] == 1)
__global__ void swap(int* out) {
  __shared__ int tile[2];
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncwarp();
  out[threadIdx.x] = tile[1 - threadIdx.x];
}
