//pass
//--blockDim=256 --gridDim=32

__global__ void degrees(int *degree, const int2 *edge, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    atomicAdd(degree + edge[e].x, 1);
    atomicAdd(degree + edge[e].y, 1);
  }
}
