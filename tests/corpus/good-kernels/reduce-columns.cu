//pass
//--blockDim=128 --gridDim=32

__global__ void column_sums(float *out, const float *a, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float v = 0;
  for (int r = 0; r < rows; r++) v += a[r * cols + c];
  out[c] = v;
}
