//pass
//--blockDim=256 --gridDim=4

__global__ void reverse(int *out, const int *in) {
  int n = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[n - 1 - i] = in[i];
}
