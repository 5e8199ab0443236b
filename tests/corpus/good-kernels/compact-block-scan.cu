//pass
//--blockDim=128 --gridDim=8

__global__ void compact(int *out, int *sizes, const int *in) {
  __shared__ int s[128];
  int t = threadIdx.x, v = in[blockIdx.x * 128 + t], keep = v > 0;
  s[t] = keep;
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int u = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += u;
    __syncthreads();
  }
  if (keep) out[blockIdx.x * 128 + s[t] - 1] = v;
  if (t == 127) sizes[blockIdx.x] = s[t];
}
