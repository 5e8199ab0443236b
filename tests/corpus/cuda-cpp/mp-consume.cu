// Message passing: consume is acquire.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_release);
  } else {
    r[0] = cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load(cuda::memory_order_consume);
    if (r[0] == 1) r[1] = *data;
  }
}
