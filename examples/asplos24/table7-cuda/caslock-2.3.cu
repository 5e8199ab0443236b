// Compare-and-swap lock.
// Every thread adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 2, 1, 3
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[0] != seen[4] && seen[0] != seen[5] && seen[1] != seen[2] && seen[1] != seen[3] && seen[1] != seen[4] && seen[1] != seen[5] && seen[2] != seen[3] && seen[2] != seen[4] && seen[2] != seen[5] && seen[3] != seen[4] && seen[3] != seen[5] && seen[4] != seen[5])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_acquire
#define RELEASE cuda::memory_order_release
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
