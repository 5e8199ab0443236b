//pass
//--blockDim=[32,32] --gridDim=[4,4]

__global__ void transpose(int *out, const int *in) {
  __shared__ int t[32 * 32];
  int x = threadIdx.x, y = threadIdx.y;
  t[y * 32 + (x ^ y)] = in[(blockIdx.y * 32 + y) * 128 + blockIdx.x * 32 + x];
  __syncthreads();
  out[(blockIdx.x * 32 + y) * 128 + blockIdx.y * 32 + x] = t[x * 32 + (y ^ x)];
}
