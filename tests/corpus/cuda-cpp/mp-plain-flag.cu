// Message passing: a plain flag races.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    *flag = 1;
  } else {
    r[0] = *flag;
    __threadfence();
    if (r[0] == 1) r[1] = *data;
  }
}
