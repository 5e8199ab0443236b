// A thread that has ended is not waited for, and what comes behind the barrier is looked at.
// @Config: 3, 1, 1
// @Output: forall (out[0] == 2 and out[1] == 1)
__global__ void swap(int* out) {
  __shared__ int tile[2];
  if (threadIdx.x >= 2) return;
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = tile[1 - threadIdx.x];
}
