// @Config: 1, 2, 1
// sgl-project/sglang#37287: the tile of the result aliases a tile of the input, and no barrier is behind its last read.
// A reduction in our own words. As it was.
__global__ void tiles(int* x) {
  __shared__ int memory[2];
  int *a = memory, *c = memory;
  a[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int v = a[1 - threadIdx.x];
  c[threadIdx.x] = v + 1;
  __syncthreads();
  x[threadIdx.x] = c[threadIdx.x];
}
