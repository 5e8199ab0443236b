//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void scale(float *a, int w, int h) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += blockDim.y * gridDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += blockDim.x * gridDim.x) a[y * w + x] *= 2;
}
