//pass
//--blockDim=64 --gridDim=1

__global__ void solve(float *x, const float *l) {
  int t = threadIdx.x;
  for (int k = 0; k < 64; k++) {
    if (t == k) x[k] /= l[k * 64 + k];
    __syncthreads();
    if (t > k) x[t] -= l[t * 64 + k] * x[k];
    __syncthreads();
  }
}
