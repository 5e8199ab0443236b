//pass
//--blockDim=256 --gridDim=16

template <class T> struct Square { __device__ T operator()(T x) const { return x * x; } };
template <class T, class F> __device__ void apply(T *a, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = f(a[i]);
}
__global__ void squares(double *a, int n) { apply(a, n, Square<double>()); }
