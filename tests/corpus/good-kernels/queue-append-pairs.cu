//pass
//--blockDim=128 --gridDim=16

__global__ void append(int2 *queue, int *tail, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] != 0) {
    int at = atomicAdd(tail, 1);
    queue[at] = make_int2(i, x[i]);
  }
}
