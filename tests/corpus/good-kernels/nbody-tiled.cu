//pass
//--blockDim=128 --gridDim=8

__global__ void forces(float3 *f, const float4 *p) {
  __shared__ float4 s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 me = p[i];
  float3 a = make_float3(0, 0, 0);
  for (int tile = 0; tile < gridDim.x; tile++) {
    s[threadIdx.x] = p[tile * 128 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; j++) {
      float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float c = s[j].w * r * r * r;
      a.x += c * dx; a.y += c * dy; a.z += c * dz;
    }
    __syncthreads();
  }
  f[i] = a;
}
