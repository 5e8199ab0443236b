//pass
//--blockDim=128 --gridDim=8

__global__ void swap(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];
  __syncwarp();
  int v = s[t ^ 1];
  __syncwarp();
  a[blockIdx.x * 128 + t] = v;
}
