// Compare-and-swap lock. Weakened: releases are relaxed.
// Every thread adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 4, 1, 2
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[0] != seen[4] && seen[0] != seen[5] && seen[0] != seen[6] && seen[0] != seen[7] && seen[1] != seen[2] && seen[1] != seen[3] && seen[1] != seen[4] && seen[1] != seen[5] && seen[1] != seen[6] && seen[1] != seen[7] && seen[2] != seen[3] && seen[2] != seen[4] && seen[2] != seen[5] && seen[2] != seen[6] && seen[2] != seen[7] && seen[3] != seen[4] && seen[3] != seen[5] && seen[3] != seen[6] && seen[3] != seen[7] && seen[4] != seen[5] && seen[4] != seen[6] && seen[4] != seen[7] && seen[5] != seen[6] && seen[5] != seen[7] && seen[6] != seen[7])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_acquire
#define RELEASE cuda::memory_order_relaxed
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

extern "C" __global__ void caslock(unsigned* lock, unsigned* x, unsigned* seen) {
  unsigned free;
  do {
    free = 0;
  } while (!word(*lock).compare_exchange_strong(free, 1, ACQUIRE, RELAXED));
  unsigned count = *x;
  seen[blockIdx.x * blockDim.x + threadIdx.x] = count;
  *x = count + 1;
  word(*lock).store(0, RELEASE);
}
