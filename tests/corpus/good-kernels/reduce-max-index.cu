//pass
//--blockDim=256 --gridDim=16

__global__ void arg_max(const float *in, float *value, int *index, int n) {
  __shared__ float v[256];
  __shared__ int k[256];
  int t = threadIdx.x, best = -1;
  float m = -3e38f;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x)
    if (in[i] > m) { m = in[i]; best = i; }
  v[t] = m;
  k[t] = best;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d && v[t + d] > v[t]) { v[t] = v[t + d]; k[t] = k[t + d]; }
    __syncthreads();
  }
  if (t == 0) { value[blockIdx.x] = v[0]; index[blockIdx.x] = k[0]; }
}
