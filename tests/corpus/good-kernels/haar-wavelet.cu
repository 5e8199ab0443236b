//pass
//--blockDim=128 --gridDim=8

__global__ void haar(float *a) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  s[t + 128] = a[blockIdx.x * 256 + t + 128];
  __syncthreads();
  for (int n = 128; n > 0; n /= 2) {
    float l = 0, r = 0;
    if (t < n) { l = s[2 * t]; r = s[2 * t + 1]; }
    __syncthreads();
    if (t < n) { s[t] = (l + r) / 2; s[t + n] = (l - r) / 2; }
    __syncthreads();
  }
  a[blockIdx.x * 256 + t] = s[t];
  a[blockIdx.x * 256 + t + 128] = s[t + 128];
}
