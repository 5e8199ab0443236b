// Test-and-test-and-set lock. Weakened: acquires are relaxed.
// Spins on a plain look, and only then tries to take the lock; then it adds one to x and notes what it found.
// @Config: 4, 1, 2
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[0] != seen[4] && seen[0] != seen[5] && seen[0] != seen[6] && seen[0] != seen[7] && seen[1] != seen[2] && seen[1] != seen[3] && seen[1] != seen[4] && seen[1] != seen[5] && seen[1] != seen[6] && seen[1] != seen[7] && seen[2] != seen[3] && seen[2] != seen[4] && seen[2] != seen[5] && seen[2] != seen[6] && seen[2] != seen[7] && seen[3] != seen[4] && seen[3] != seen[5] && seen[3] != seen[6] && seen[3] != seen[7] && seen[4] != seen[5] && seen[4] != seen[6] && seen[4] != seen[7] && seen[5] != seen[6] && seen[5] != seen[7] && seen[6] != seen[7])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_relaxed
#define RELEASE cuda::memory_order_release
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

extern "C" __global__ void ttaslock(unsigned* lock, unsigned* x, unsigned* seen) {
  for (;;) {
    while (word(*lock).load(RELAXED) != 0) {
    }
    if (word(*lock).exchange(1, ACQUIRE) == 0) break;
  }
  unsigned count = *x;
  seen[blockIdx.x * blockDim.x + threadIdx.x] = count;
  *x = count + 1;
  word(*lock).store(0, RELEASE);
}
