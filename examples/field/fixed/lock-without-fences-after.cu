// @Config: 1, 1, 2
// kokkos/kokkos#3038: a spin lock without fences.
// A reduction in our own words. As it was mended.
__global__ void add(int* lock, int* x) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  x[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}
