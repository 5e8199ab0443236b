// @Config: 1, 2, 1
// JustVugg/colibri#1098: the maximum is read from the shared buffer that the next step writes.
// A reduction in our own words. As it was.
__global__ void softmax(int* x) {
  __shared__ int red[2];
  red[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int m = red[0];
  red[threadIdx.x] = x[threadIdx.x] - m;
  __syncthreads();
  x[threadIdx.x] = red[0] + red[1];
}
