//pass
//--blockDim=1 --gridDim=64

__global__ void add(int *lock, float *sum, int *count, const float *x) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *sum += x[blockIdx.x];
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}
