// @Config: 1, 2, 1
// ggml-org/llama.cpp#27008: all threads read the first partial, and the next iteration writes it.
// A reduction in our own words. As it was mended.
__global__ void indexer(int* out) {
  __shared__ int partials[2];
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    partials[threadIdx.x] = i + 1;
    __syncthreads();
    sum += partials[0];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
