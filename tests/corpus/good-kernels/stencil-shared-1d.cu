//pass
//--blockDim=256 --gridDim=16

#define R 3
__global__ void stencil(float *out, const float *in) {
  __shared__ float s[256 + 2 * R];
  int g = blockIdx.x * 256 + threadIdx.x + R, l = threadIdx.x + R;
  s[l] = in[g];
  if (threadIdx.x < R) {
    s[l - R] = in[g - R];
    s[l + 256] = in[g + 256];
  }
  __syncthreads();
  float sum = 0;
  for (int k = -R; k <= R; k++) sum += s[l + k];
  out[g] = sum;
}
