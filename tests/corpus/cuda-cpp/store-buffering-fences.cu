// The same with relaxed accesses and __threadfence between them.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 0 and r[1] == 0)
#include <cuda/atomic>
using word = cuda::atomic_ref<int, cuda::thread_scope_device>;
__global__ void sb(int* x, int* r) {
  word(x[blockIdx.x]).store(1, cuda::memory_order_relaxed);
  __threadfence();
  r[blockIdx.x] = word(x[1 - blockIdx.x]).load(cuda::memory_order_relaxed);
}
