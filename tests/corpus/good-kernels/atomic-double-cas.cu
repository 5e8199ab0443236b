//pass
//--blockDim=128 --gridDim=32

__device__ void add(double *at, double v) {
  unsigned long long *p = (unsigned long long *)at, old = atomicAdd(p, 0ull), seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen)));
  } while (seen != old);
}
__global__ void total(double *sum, const double *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) add(sum, x[i]);
}
