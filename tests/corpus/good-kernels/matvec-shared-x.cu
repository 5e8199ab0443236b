//pass
//--blockDim=128 --gridDim=32

__global__ void matvec(float *y, const float *a, const float *x, int cols) {
  __shared__ float s[128];
  int row = blockIdx.x * 128 + threadIdx.x;
  float v = 0;
  for (int c0 = 0; c0 < cols; c0 += 128) {
    s[threadIdx.x] = c0 + (int)threadIdx.x < cols ? x[c0 + threadIdx.x] : 0;
    __syncthreads();
    for (int c = 0; c < 128 && c0 + c < cols; c++) v += a[row * cols + c0 + c] * s[c];
    __syncthreads();
  }
  y[row] = v;
}
