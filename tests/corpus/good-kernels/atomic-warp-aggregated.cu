//pass
//--blockDim=128 --gridDim=32

__global__ void count(int *counter, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool yes = i < n && x[i] > 0;
  unsigned m = __ballot_sync(0xffffffffu, yes);
  if ((threadIdx.x & 31) == 0) atomicAdd(counter, __popc(m));
}
