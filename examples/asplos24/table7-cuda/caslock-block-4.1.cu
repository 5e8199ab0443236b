// Compare-and-swap lock. Weakened: the scope of every atomic is the block.
// Every thread adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 4, 1, 1
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[1] != seen[2] && seen[1] != seen[3] && seen[2] != seen[3])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_block
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
