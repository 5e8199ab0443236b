//pass
//--blockDim=64 --gridDim=8

__global__ void count_equal(int *out, const int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m = __match_any_sync(0xffffffffu, x[i]);
  out[i] = __popc(m);
}
