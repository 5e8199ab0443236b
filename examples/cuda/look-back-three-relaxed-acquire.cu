// Prefix sums with decoupled look-back, three tiles. Weakened: acquires are relaxed.
// A tile publishes its own sum, then looks back: a predecessor that has only its sum is added and passed, one that has its
// prefix ends the walk. Tile i holds i + 1.
// @Config: 1, 1, 3
// @Output: forall (prefix[0] == 1 and prefix[1] == 3 and prefix[2] == 6)
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_relaxed
#define RELEASE cuda::memory_order_release
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

__global__ void look_back(unsigned* state, unsigned* sum, unsigned* prefix) {
  unsigned tile = blockIdx.x;
  unsigned total = tile + 1;
  sum[tile] = total;
  if (tile != 0) {
    word(state[tile]).store(1, RELEASE);
    for (unsigned at = tile; at != 0;) {
      --at;
      unsigned found;
      do {
        found = word(state[at]).load(ACQUIRE);
      } while (found == 0);
      if (found == 2) {
        total += prefix[at];
        break;
      }
      total += sum[at];
    }
  }
  prefix[tile] = total;
  word(state[tile]).store(2, RELEASE);
}
