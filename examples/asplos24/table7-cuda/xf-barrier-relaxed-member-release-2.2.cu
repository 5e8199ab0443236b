// Barrier between blocks, after Xiao and Feng. Weakened: the release of the member is relaxed.
// Thread i of block 0, the master, waits for block i and releases it again. What any thread wrote before the
// barrier, every thread sees behind it.
// @Config: 2, 1, 2
// @Output: forall (seen[0] == 1 && seen[1] == 1 && seen[2] == 1 && seen[3] == 1)
#include <cuda/atomic>

#define SCOPE cuda::thread_scope_device
#define ACQUIRE cuda::memory_order_acquire
#define RELEASE cuda::memory_order_release
#define RELAXED cuda::memory_order_relaxed
using word = cuda::atomic_ref<unsigned, SCOPE>;

extern "C" __global__ void xf_barrier(unsigned* flag, unsigned* data, unsigned* seen) {
  unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  data[me] = 1;
  if (blockIdx.x == 0) {
    if (threadIdx.x + 1 < gridDim.x) {
      while (word(flag[threadIdx.x + 1]).load(ACQUIRE) == 0) {
      }
    }
    __syncthreads();
    if (threadIdx.x + 1 < gridDim.x) word(flag[threadIdx.x + 1]).store(0, RELEASE);
  } else {
    __syncthreads();
    if (threadIdx.x == 0) {
      word(flag[blockIdx.x]).store(1, RELAXED);
      while (word(flag[blockIdx.x]).load(ACQUIRE) == 1) {
      }
    }
    __syncthreads();
  }
  seen[me] = data[(me + 2) % 4];
}
