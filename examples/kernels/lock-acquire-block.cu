//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=16
//race on total

// The lock orders the threads of one block only.
#include <cuda/atomic>
__global__ void sum(cuda::atomic<int, cuda::thread_scope_block> *lock, int *total, const int *v) {
  bool done = false;
  while (!done) {
    int free = 0;
    if (lock->compare_exchange_strong(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
      *total += v[threadIdx.x];
      lock->store(0, cuda::memory_order_release);
      done = true;
    }
  }
}
