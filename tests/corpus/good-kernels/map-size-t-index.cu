//pass
//--blockDim=256 --gridDim=1024

__global__ void add(double *c, const double *a, const double *b, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
