// Message passing: the scope is the block, and the threads are of one.
// @Config: 1, 2, 1
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (threadIdx.x == 0) {
    *data = 1;
    cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).store(1, cuda::memory_order_release);
  } else {
    r[0] = cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).load(cuda::memory_order_acquire);
    if (r[0] == 1) r[1] = *data;
  }
}
