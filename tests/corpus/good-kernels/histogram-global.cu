//pass
//--blockDim=256 --gridDim=32

__global__ void histogram(unsigned *bins, const unsigned char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1u);
}
