// Message passing: a volatile flag with fences is not atomic in CUDA C++.
// @Config: 1, 1, 2
// @Output: exists (r[0] == 1 and r[1] == 0)
#include <cuda/atomic>

__global__ void message(int* data, int* flag, int* r) {
  if (blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    *(volatile int*)flag = 1;
  } else {
    r[0] = *(volatile int*)flag;
    __threadfence();
    if (r[0] == 1) r[1] = *data;
  }
}
