// Message passing: a release and an acquire fence.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    r[0] = cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load(cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    if (r[0] == 1) r[1] = *data;
  }
}
