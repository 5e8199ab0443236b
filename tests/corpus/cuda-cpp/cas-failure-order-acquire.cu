// This one acquires when it fails.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>
using word = cuda::atomic_ref<int, cuda::thread_scope_device>;
__global__ void mp(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    word(*flag).store(1, cuda::memory_order_release);
  } else {
    int found = 0;
    word(*flag).compare_exchange_strong(found, 5, cuda::memory_order_acq_rel);
    r[0] = found;
    if (found == 1) r[1] = *data;
  }
}
