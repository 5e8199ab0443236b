// @Config: 1, 1, 2
// deepseek-ai/DeepEP#703: a slot is claimed by compare-and-swap, and its data are read without a fence.
// A reduction in our own words. As it was.
__global__ void claim(int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 3;
    __threadfence();
    atomicExch(ready, 1);
  } else if (atomicCAS(ready, 1, 2) == 1) {
    out[0] = data[0];
  }
}
