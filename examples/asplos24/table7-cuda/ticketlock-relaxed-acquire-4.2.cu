// Ticket lock. Weakened: acquires are relaxed.
// Each thread draws a number and waits until it is served; then it adds one to x and notes what it found.
// Drawing the number needs no order: what orders the critical sections is the counter of those served.
// @Config: 4, 1, 2
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[0] != seen[4] && seen[0] != seen[5] && seen[0] != seen[6] && seen[0] != seen[7] && seen[1] != seen[2] && seen[1] != seen[3] && seen[1] != seen[4] && seen[1] != seen[5] && seen[1] != seen[6] && seen[1] != seen[7] && seen[2] != seen[3] && seen[2] != seen[4] && seen[2] != seen[5] && seen[2] != seen[6] && seen[2] != seen[7] && seen[3] != seen[4] && seen[3] != seen[5] && seen[3] != seen[6] && seen[3] != seen[7] && seen[4] != seen[5] && seen[4] != seen[6] && seen[4] != seen[7] && seen[5] != seen[6] && seen[5] != seen[7] && seen[6] != seen[7])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_relaxed
#define RELEASE cuda::memory_order_release
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

extern "C" __global__ void ticketlock(unsigned* next, unsigned* serving, unsigned* x, unsigned* seen) {
  unsigned ticket = word(*next).fetch_add(1, RELAXED);
  while (word(*serving).load(ACQUIRE) != ticket) {
  }
  unsigned count = *x;
  seen[blockIdx.x * blockDim.x + threadIdx.x] = count;
  *x = count + 1;
  word(*serving).store(ticket + 1, RELEASE);
}
