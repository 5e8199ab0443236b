//pass
//--blockDim=64 --gridDim=8

__constant__ float table[256];
__global__ void look_up(float *out, const unsigned char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i]];
}
