//pass
//--blockDim=256 --gridDim=32

__global__ void histogram(unsigned *partial, const unsigned char *in, int n) {
  __shared__ unsigned s[8][64];
  int warp = threadIdx.x / 32;
  for (int k = threadIdx.x; k < 8 * 64; k += 256) s[k / 64][k % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) atomicAdd(&s[warp][in[i] >> 2], 1u);
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned total = 0;
    for (int w = 0; w < 8; w++) total += s[w][threadIdx.x];
    partial[blockIdx.x * 64 + threadIdx.x] = total;
  }
}
