//pass
//--blockDim=128 --gridDim=16

__global__ void update(float *sum, int *count, const float *x, const int *label, int n) {
  __shared__ float s[64];
  __shared__ int c[16];
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  if (threadIdx.x < 16) c[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int l = label[i] & 15;
    for (int q = 0; q < 4; q++) atomicAdd(&s[l * 4 + q], x[i * 4 + q]);
    atomicAdd(&c[l], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&sum[threadIdx.x], s[threadIdx.x]);
  if (threadIdx.x < 16) atomicAdd(&count[threadIdx.x], c[threadIdx.x]);
}
