//pass
//--blockDim=64 --gridDim=1

__global__ void delay(float *a, int steps) {
  __shared__ float s[4][64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) s[k][t] = 0;
  __syncthreads();
  for (int k = 0; k < 100; k++) {
    float old = s[k % 4][63 - t];
    __syncthreads();
    s[k % 4][t] = a[k * 64 + t];
    a[k * 64 + t] = old;
    __syncthreads();
  }
}
