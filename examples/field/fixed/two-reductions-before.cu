// @Config: 1, 2, 1
// NVIDIA/Fuser#489: two reductions of a block use one shared buffer, and nothing is between them.
// A reduction in our own words. As it was.
__device__ int reduce(int* shared, int v) {
  shared[threadIdx.x] = v;
  __syncthreads();
  return shared[0] + shared[1];
}
__global__ void both(int* out) {
  __shared__ int shared[2];
  const int sum = reduce(shared, 1);
  const int other = reduce(shared, 2);
  out[threadIdx.x] = sum + other;
}
