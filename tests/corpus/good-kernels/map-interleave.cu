//pass
//--blockDim=128 --gridDim=8

__global__ void interleave(float *out, const float *left, const float *right, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[2 * i] = left[i];
    out[2 * i + 1] = right[i];
  }
}
