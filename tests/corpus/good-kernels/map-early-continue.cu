//pass
//--blockDim=128 --gridDim=16

__global__ void positive_logs(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (!(a[i] > 0)) continue;
    a[i] = logf(a[i]);
  }
}
