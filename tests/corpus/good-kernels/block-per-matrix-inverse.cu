//pass
//--blockDim=[4,4] --gridDim=256

__global__ void gauss_jordan(float *m) {
  __shared__ float a[4][4];
  int r = threadIdx.y, c = threadIdx.x;
  float *p = m + blockIdx.x * 16;
  a[r][c] = p[r * 4 + c];
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    float pivot = a[k][k], f = a[r][k], v = a[k][c];
    __syncthreads();
    if (r == k) a[r][c] = v / pivot;
    else a[r][c] -= f * v / pivot;
    __syncthreads();
  }
  p[r * 4 + c] = a[r][c];
}
