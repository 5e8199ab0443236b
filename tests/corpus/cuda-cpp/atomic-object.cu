// cuda::atomic in memory of the device and of the block, as structures of the file have it.
// @Config: 1, 1, 2
// @Output: forall (queue.count == 2 and seen[0] != seen[1])
#include <cuda/atomic>
struct Queue {
  cuda::atomic<int, cuda::thread_scope_device> count;
  int data;
};
__device__ Queue queue;
__global__ void add(int* seen) { seen[blockIdx.x] = queue.count.fetch_add(1, cuda::memory_order_relaxed); }
