// Work-stealing deque with one task. Weakened: releases are relaxed.
// The owner, block 0, pushes a task and takes from its end; the thief, block 1, steals from the other. Exactly one may run
// the last task, and it sees what was pushed.
// @Config: 1, 1, 2
// @Output: forall (not (ran[0] == 7 and ran[1] == 7))
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_acquire
#define RELEASE cuda::memory_order_relaxed
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

__device__ bool claim(unsigned* head) {
  unsigned free = 0;
  return word(*head).compare_exchange_strong(free, 1, RELAXED, RELAXED);
}

__global__ void deque(unsigned* head, unsigned* tail, unsigned* task, unsigned* ran) {
  if (blockIdx.x == 0) {
    *task = 7;
    word(*tail).store(1, RELEASE);
    word(*tail).store(0, RELAXED);  // take: the last task is contended
    if (claim(head)) ran[0] = *task;
    word(*tail).store(1, RELEASE);
  } else {
    if (word(*tail).load(ACQUIRE) == 1) {
      if (claim(head)) ran[1] = *task;
    }
  }
}
