//pass
//--blockDim=128 --gridDim=8

__global__ void forces(float4 *force, const float4 *body, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = body[i];
  float3 f = make_float3(0, 0, 0);
  for (int j = 0; j < n; j++) {
    float4 o = body[j];
    float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    float s = o.w * r * r * r;
    f.x += s * dx; f.y += s * dy; f.z += s * dz;
  }
  force[i] = make_float4(f.x, f.y, f.z, 0);
}
