// @Config: 1, 1, 2
// kokkos/kokkos#3038: a spin lock without fences.
// A reduction in our own words. As it was.
__global__ void add(int* lock, int* x) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  x[0] += 1;
  atomicExch(lock, 0);
}
