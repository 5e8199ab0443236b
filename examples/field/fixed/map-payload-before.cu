// @Config: 1, 1, 2
// NVIDIA/cuCollections#546: find sees the key and reads a payload that insert has not stored yet.
// A reduction in our own words. As it was.
#include <cuda/atomic>
__global__ void map(int* key, int* payload, int* found) {
  cuda::atomic_ref<int, cuda::thread_scope_device> k(key[0]), p(payload[0]);
  if (blockIdx.x == 0) {
    int expected = 0;
    if (k.compare_exchange_strong(expected, 5, cuda::memory_order_relaxed)) payload[0] = 9;
  } else if (k.load(cuda::memory_order_relaxed) == 5) {
    found[0] = payload[0];
  }
}
