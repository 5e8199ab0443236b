//pass
//--blockDim=256 --gridDim=16

__global__ void nearest(unsigned *best, const float2 *p, float2 q, int n) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0xffffffffu;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    float dx = p[i].x - q.x, dy = p[i].y - q.y;
    atomicMin(&s, __float_as_uint(dx * dx + dy * dy));
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMin(best, s);
}
