//pass
//--blockDim=256 --gridDim=64

__global__ void step(int *a, unsigned j, unsigned k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, o = i ^ j;
  if (o > i && ((i & k) == 0) == (a[i] > a[o])) { int v = a[i]; a[i] = a[o]; a[o] = v; }
}
