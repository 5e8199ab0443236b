//pass
//--blockDim=128 --gridDim=16

struct Particle { float x, y, z, mass; };
__global__ void step(Particle *p, const float3 *v, float dt, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    p[i].x += dt * v[i].x;
    p[i].y += dt * v[i].y;
    p[i].z += dt * v[i].z;
  }
}
