//pass
//--blockDim=[16,16] --gridDim=[4,4]

__global__ void life(unsigned char *next, const unsigned char *now) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0) n += now[((y + dy) & 63) * 64 + ((x + dx) & 63)];
  next[y * 64 + x] = n == 3 || (n == 2 && now[y * 64 + x]);
}
