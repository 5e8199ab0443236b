//pass
//--blockDim=128 --gridDim=32

__global__ void mark(unsigned *bits, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr(&bits[(unsigned)x[i] / 32], 1u << (x[i] & 31));
}
