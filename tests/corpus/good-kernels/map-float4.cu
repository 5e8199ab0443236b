//pass
//--blockDim=256 --gridDim=8

__global__ void scale(float4 *a, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  v.x *= f; v.y *= f; v.z *= f; v.w *= f;
  a[i] = v;
}
