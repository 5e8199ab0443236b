//pass
//--blockDim=128 --gridDim=16

__global__ void split(int *queue, int *tail, const int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 1) {
    int at = atomicAdd(tail, 2);
    queue[at] = x[i] / 2;
    queue[at + 1] = x[i] - x[i] / 2;
  }
}
