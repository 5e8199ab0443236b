//pass
//--blockDim=256 --gridDim=32

// Counting with atomics: no two atomic operations race.
__global__ void histogram(const unsigned char *data, unsigned *bins) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[data[i]], 1u);
}
