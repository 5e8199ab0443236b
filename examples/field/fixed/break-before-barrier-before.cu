// @Config: 1, 2, 1
// @Input: stop = {1, 0}
// 1bit-MONSTER/1bit-MONSTER#1262: a thread leaves the loop before the barrier that the others come to.
// A reduction in our own words. As it was.
__global__ void loop(int* stop, int* out) {
  __shared__ int s[2];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    if (atomicAdd(&stop[threadIdx.x], 1) == 1) break;
    s[threadIdx.x] = i;
    __syncthreads();
    out[threadIdx.x] = s[1 - threadIdx.x];
    __syncthreads();
  }
}
