// Message queue of one slot, one producer, one consumer. Weakened: acquires are relaxed.
// Two messages go through one slot: the producer waits until the slot is free, the consumer until it is full.
// @Config: 1, 1, 2
// @Output: forall (got[0] == 1 and got[1] == 2)
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_relaxed
#define RELEASE cuda::memory_order_release
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

__global__ void queue(unsigned* written, unsigned* taken, unsigned* slot, unsigned* got) {
  if (blockIdx.x == 0) {
    for (unsigned n = 0; n < 2; ++n) {
      while (word(*taken).load(ACQUIRE) != n) {
      }
      *slot = n + 1;
      word(*written).store(n + 1, RELEASE);
    }
  } else {
    for (unsigned n = 0; n < 2; ++n) {
      while (word(*written).load(ACQUIRE) == n) {
      }
      got[n] = *slot;
      word(*taken).store(n + 1, RELEASE);
    }
  }
}
