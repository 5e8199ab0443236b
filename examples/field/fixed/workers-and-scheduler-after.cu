// @Config: 1, 1, 2
// mirage-project/mirage#775: worker blocks spin for a scheduler block that may not be resident.
// A reduction in our own words. As it was mended.
#include <cuda/atomic>
__global__ void persistent(int* next, int* task, int* out) {
  const int me = atomicAdd(next, 1);
  if (me == 0) {
    __threadfence();
    atomicExch(task, 1);
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> waits(task[0]);
    while (waits.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = 1;
  }
}
