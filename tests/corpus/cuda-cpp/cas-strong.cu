// A strong one does not.
// @Config: 1, 1, 1
// @Output: exists (r[0] == 0)
#include <cuda/atomic>
__global__ void k(int* x, int* r) {
  int expected = 0;
  r[0] = cuda::atomic_ref<int>(*x).compare_exchange_strong(expected, 7) ? 1 : 0;
}
