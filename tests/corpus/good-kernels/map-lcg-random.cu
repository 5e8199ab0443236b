//pass
//--blockDim=64 --gridDim=4

__device__ unsigned next(unsigned &s) { s = s * 1664525u + 1013904223u; return s; }
__global__ void fill(unsigned *state, float *out, int each) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int total = gridDim.x * blockDim.x;
  unsigned s = state[t];
  for (int k = 0; k < each; k++) out[k * total + t] = next(s) * 2.3283064e-10f;
  state[t] = s;
}
