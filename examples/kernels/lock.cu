//pass
//--blockDim=64 --gridDim=16
//Verified

// A lock protects a running sum. The thread that holds it leaves the loop, so that no warp waits for itself.
__global__ void sum(int* lock, int* total, const int* value) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *total += value[blockIdx.x * blockDim.x + threadIdx.x];
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
