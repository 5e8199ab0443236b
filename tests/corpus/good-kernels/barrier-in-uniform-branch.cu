//pass
//--blockDim=128 --gridDim=8

__global__ void maybe(int *a, int smooth) {
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, v = a[i];
  if (smooth) {
    s[t] = v;
    __syncthreads();
    v = (v + s[(t + 1) % 128]) / 2;
    __syncthreads();
  }
  a[i] = v;
}
