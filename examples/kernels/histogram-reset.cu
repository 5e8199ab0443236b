//xfail:NOT_ALL_VERIFIED
//--blockDim=256 --gridDim=32
//possible (write-atomic|atomic-write) race on bins

// The first threads reset the bins that others count in already.
__global__ void histogram(const unsigned char *data, unsigned *bins) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 256) bins[i] = 0;
  atomicAdd(&bins[data[i]], 1u);
}
