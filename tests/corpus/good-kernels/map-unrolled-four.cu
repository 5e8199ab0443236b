//pass
//--blockDim=256 --gridDim=8

__global__ void scale4(float *a, float f) {
  int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll
  for (int k = 0; k < 4; k++) a[base + k] *= f;
}
