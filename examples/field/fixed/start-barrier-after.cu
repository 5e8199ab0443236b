// @Config: 1, 1, 2
// vllm-project/vllm#57059: the start barrier of an all-reduce is relaxed, and peers' data are read behind it.
// A reduction in our own words. As it was mended.
#include <cuda/atomic>
__global__ void reduce(int* data, int* flag, int* out) {
  const int me = blockIdx.x, peer = 1 - me;
  cuda::atomic_ref<int, cuda::thread_scope_system> mine(flag[me]), theirs(flag[peer]);
  data[me] = me + 1;
  mine.store(1, cuda::memory_order_release);
  while (theirs.load(cuda::memory_order_acquire) == 0) {
  }
  out[me] = data[peer];
}
