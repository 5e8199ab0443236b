//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void sweep(float *u, int colour) {
  int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 16 + threadIdx.y + 1;
  if ((x + y) % 2 == (colour & 1)) u[y * 66 + x] = 0.25f * (u[y * 66 + x - 1] + u[y * 66 + x + 1] + u[(y - 1) * 66 + x] + u[(y + 1) * 66 + x]);
}
