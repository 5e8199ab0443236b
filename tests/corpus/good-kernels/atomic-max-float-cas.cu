//pass
//--blockDim=128 --gridDim=32

__device__ void max_float(float *at, float v) {
  int *p = (int *)at, old = atomicAdd(p, 0), seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= v) break;
    old = atomicCAS(p, seen, __float_as_int(v));
  } while (seen != old);
}
__global__ void largest(float *m, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) max_float(m, x[i]);
}
