// A shuffle tells lane 1 that lane 0 has written, and orders nothing.
// @Config: 2, 1, 1
// @Output: forall (got[0] == 1)
__global__ void message(int* x, int* got) {
  if (threadIdx.x == 0) *x = 1;
  int ready = __shfl_sync(~0u, threadIdx.x == 0, 0);
  if (threadIdx.x == 1 && ready) *got = *x;
}
