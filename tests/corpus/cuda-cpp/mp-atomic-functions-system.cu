// Message passing: atomicCAS_system and atomicOr_system.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    __threadfence_system();
    atomicCAS_system(flag, 0, 1);
  } else {
    r[0] = atomicOr_system(flag, 0);
    __threadfence_system();
    if (r[0] == 1) r[1] = *data;
  }
}
