//pass
//--blockDim=[8,8,4] --gridDim=[4,4,8]

__global__ void clear(float *v, int nx, int ny, int nz) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  if (x < nx && y < ny && z < nz) v[(z * ny + y) * nx + x] = 0.0f;
}
