// fetch_min and fetch_or of unsigned short.
// @Config: 1, 1, 2
// @Output: forall (s[0] == 3 and s[1] == 1)
#include <cuda/atomic>
// @Input: s = {9, 0}
__global__ void k(unsigned short* s) {
  cuda::atomic_ref<unsigned short, cuda::thread_scope_device> least(s[0]), any(s[1]);
  least.fetch_min(3 + blockIdx.x);
  any.fetch_or(1);
}
