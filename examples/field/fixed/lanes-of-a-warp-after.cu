// @Config: 2, 1, 1
// kokkos/kokkos#6630: a lane updates shared memory, and other lanes of its warp read it without __syncwarp.
// A reduction in our own words. As it was mended.
__global__ void lanes(int* out) {
  __shared__ int shared[2];
  shared[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = shared[1 - threadIdx.x];
}
