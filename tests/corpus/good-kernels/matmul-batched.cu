//pass
//--blockDim=[8,8] --gridDim=[1,1,64]

__global__ void matmul(float *c, const float *a, const float *b) {
  __shared__ float as[64], bs[64];
  const float *pa = a + blockIdx.z * 64, *pb = b + blockIdx.z * 64;
  int t = threadIdx.y * 8 + threadIdx.x;
  as[t] = pa[t];
  bs[t] = pb[t];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; k++) s += as[threadIdx.y * 8 + k] * bs[k * 8 + threadIdx.x];
  c[blockIdx.z * 64 + t] = s;
}
