//pass
//--blockDim=[16,16] --gridDim=[16,16]

__global__ void ger(float *a, const float *x, const float *y, float alpha) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  a[i * 256 + j] += alpha * x[i] * y[j];
}
