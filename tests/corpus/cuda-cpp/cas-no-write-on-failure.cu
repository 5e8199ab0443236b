// A compare-exchange that fails writes nothing, neither to memory nor to what it expected when it succeeds: `expected` is
// shared here, and the thread that succeeds does not race with the one that reads it.
// @Config: 2, 1, 1
// @Output: forall (r[0] == 7)
#include <cuda/atomic>
__global__ void k(int* x, int* r) {
  __shared__ int expected;
  if (threadIdx.x == 0) expected = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::atomic_ref<int, cuda::thread_scope_block>(*x).compare_exchange_strong(expected, 7);
  else
    r[1] = expected;
  __syncthreads();
  r[threadIdx.x] = *x;
}
