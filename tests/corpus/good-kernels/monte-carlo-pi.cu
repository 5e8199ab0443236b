//pass
//--blockDim=128 --gridDim=32

__global__ void pi(unsigned long long *hits, unsigned seed, int each) {
  unsigned s = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u;
  int n = 0;
  for (int k = 0; k < each; k++) {
    s = s * 1664525u + 1013904223u;
    float x = (s >> 8) * 5.96e-8f;
    s = s * 1664525u + 1013904223u;
    float y = (s >> 8) * 5.96e-8f;
    n += x * x + y * y < 1;
  }
  atomicAdd(hits, (unsigned long long)n);
}
