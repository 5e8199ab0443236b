//pass
//--blockDim=64 --gridDim=2

__global__ void rows(int *a) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 1; c < 128; c++) a[r * 128 + c] += a[r * 128 + c - 1];
}
