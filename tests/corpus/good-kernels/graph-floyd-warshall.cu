//pass
//--blockDim=[16,16] --gridDim=[8,8]

__global__ void through(int *next, const int *d, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  next[i * 128 + j] = min(d[i * 128 + j], d[i * 128 + k] + d[k * 128 + j]);
}
