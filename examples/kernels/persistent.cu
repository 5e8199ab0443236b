//pass
//--blockDim=128 --gridDim=[8]
//Verified

// Blocks that live on: the first thread takes the next tile for all of its block.
__device__ unsigned int next_tile;

__global__ void tiles(float* out, unsigned int count) {
  __requires(count <= 65536);
  __shared__ unsigned int tile;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1u);
    __syncthreads();
    if (tile >= count) break;
    out[tile * blockDim.x + threadIdx.x] = blockIdx.x;
  }
}
