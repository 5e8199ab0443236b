//pass
//--blockDim=128 --gridDim=16

__global__ void step(float *px, float *py, float *vx, float *vy, const float *fx, const float *fy, float dt, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    vx[i] += dt * fx[i];
    vy[i] += dt * fy[i];
    px[i] += dt * vx[i];
    py[i] += dt * vy[i];
  }
}
