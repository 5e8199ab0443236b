//pass
//--blockDim=64 --gridDim=8

__global__ void normalise(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  float first = __shfl_sync(0xffffffffu, v, 0);
  a[i] = v / first;
}
