//pass
//--blockDim=256 --gridDim=16

__global__ void im2col(float *col, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % 64, y = i / 64;
  for (int k = 0; k < 9; k++) {
    int xx = x + k % 3 - 1, yy = y + k / 3 - 1;
    col[k * 4096 + i] = xx >= 0 && xx < 64 && yy >= 0 && yy < 64 ? in[yy * 64 + xx] : 0;
  }
}
