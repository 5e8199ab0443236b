//pass
//--blockDim=128 --gridDim=8

#include <cuda/atomic>
__global__ void count(int *total, const int *x, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> t(*total);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == 7) t.fetch_add(1, cuda::memory_order_relaxed);
}
