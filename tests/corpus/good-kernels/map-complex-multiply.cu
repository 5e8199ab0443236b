//pass
//--blockDim=128 --gridDim=32

__global__ void cmul(float2 *a, const float2 *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 x = a[i], y = b[i];
  a[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
