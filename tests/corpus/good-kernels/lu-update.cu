//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void update(float *a, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (k >= 0 && i > k && j > k) a[i * 128 + j] -= a[i * 128 + k] * a[k * 128 + j];
}
