//pass
//--blockDim=256 --gridDim=8

__global__ void scan(int *out, const int *in) {
  __shared__ int s[512];
  int t = threadIdx.x, w = 0, r = 1;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    w = 1 - w;
    r = 1 - w;
    s[w * 256 + t] = s[r * 256 + t] + (t >= d ? s[r * 256 + t - d] : 0);
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[w * 256 + t];
}
