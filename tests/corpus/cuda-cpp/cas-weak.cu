// A weak compare-exchange may fail although it finds what it expects.
// @Config: 1, 1, 1
// @Output: exists (r[0] == 0)
#include <cuda/atomic>
__global__ void k(int* x, int* r) {
  int expected = 0;
  r[0] = cuda::atomic_ref<int>(*x).compare_exchange_weak(expected, 7) ? 1 : 0;
}
