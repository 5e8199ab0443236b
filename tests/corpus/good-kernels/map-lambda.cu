//pass
//--blockDim=256 --gridDim=16

template <class F> __device__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
__global__ void add(float *c, const float *a, const float *b, int n) {
  each(n, [=](int i) { c[i] = a[i] + b[i]; });
}
