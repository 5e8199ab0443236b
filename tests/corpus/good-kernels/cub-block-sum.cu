//pass
//--blockDim=128 --gridDim=8

#include <cub/cub.cuh>
__global__ void sums(int *out, const int *in) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage temp;
  int s = Reduce(temp).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = s;
}
