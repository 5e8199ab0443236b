//pass
//--blockDim=256 --gridDim=16

__global__ void clear_mask(bool *mask, bool *updating, bool *visited, int *over, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && updating[t]) {
    mask[t] = true;
    visited[t] = true;
    updating[t] = false;
    atomicExch(over, 1);
  }
}
