//pass
//--blockDim=256 --gridDim=16

__global__ void dropout(float *x, unsigned *mask, float keep, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool on = false;
  if (i < n) {
    unsigned h = (i ^ seed) * 2654435761u;
    on = (h >> 8) * 5.96e-8f < keep;
    x[i] = on ? x[i] / keep : 0;
  }
  unsigned m = __ballot_sync(0xffffffffu, on);
  if (threadIdx.x % 32 == 0) mask[i / 32] = m;
}
