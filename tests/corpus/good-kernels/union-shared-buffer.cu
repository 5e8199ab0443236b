//pass
//--blockDim=128 --gridDim=8

__global__ void both(float *out, const int *in) {
  __shared__ union { int i[128]; float f[128]; } u;
  int t = threadIdx.x;
  u.i[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  int v = u.i[127 - t];
  __syncthreads();
  u.f[t] = v * 0.5f;
  __syncthreads();
  out[blockIdx.x * 128 + t] = u.f[(t + 1) & 127];
}
