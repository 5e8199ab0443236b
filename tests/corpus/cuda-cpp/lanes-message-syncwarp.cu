// __syncwarp orders what __shfl_sync does not.
// @Config: 2, 1, 1
// @Output: forall (got[0] == 1)
__global__ void message(int* x, int* got) {
  if (threadIdx.x == 0) *x = 1;
  int ready = __shfl_sync(~0u, threadIdx.x == 0, 0);
  __syncwarp();
  if (threadIdx.x == 1 && ready) *got = *x;
}
