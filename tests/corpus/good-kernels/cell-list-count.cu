//pass
//--blockDim=128 --gridDim=16

__global__ void count(int *cells, int *slot, const float2 *p, int nx, float size, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int c = (int)(p[i].y / size) * nx + (int)(p[i].x / size);
    slot[i] = atomicAdd(&cells[c], 1);
  }
}
