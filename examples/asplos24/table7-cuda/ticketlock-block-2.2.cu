// Ticket lock. Weakened: the scope of every atomic is the block, and the users are in different ones.
// Each thread draws a number and waits until it is served; then it adds one to x and notes what it found.
// Drawing the number needs no order: what orders the critical sections is the counter of those served.
// @Config: 2, 1, 2
// @Output: forall (seen[0] != seen[1] && seen[0] != seen[2] && seen[0] != seen[3] && seen[1] != seen[2] && seen[1] != seen[3] && seen[2] != seen[3])
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_block
#define ACQUIRE cuda::memory_order_acquire
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
