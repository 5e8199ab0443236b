// @Config: 1, 1, 2
// JuliaGPU/AcceleratedKernels.jl#98: the flag of a look-back scan does not order the aggregate.
// A reduction in our own words. As it was mended.
__global__ void look_back(int* aggregate, int* flag, int* out) {
  if (blockIdx.x == 0) {
    aggregate[0] = 7;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    if (atomicAdd(flag, 0) == 0) return;  // in the scan: again
    __threadfence();
    out[0] = aggregate[0];
  }
}
