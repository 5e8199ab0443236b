//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=16
//possible (write-read|read-write|write-write) race on total

// Without the second fence the next holder may not see the sum.
__global__ void sum(int* lock, int* total, const int* value) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *total += value[blockIdx.x * blockDim.x + threadIdx.x];
      atomicExch(lock, 0);
      done = true;
    }
  }
}
