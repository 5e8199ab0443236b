// The same, and the two that are left race behind the barrier.
// @Config: 3, 1, 1
// @Output: forall (out[0] == 1)
__global__ void meet(int* out) {
  if (threadIdx.x >= 2) return;
  __syncthreads();
  out[0] = 1;
}
