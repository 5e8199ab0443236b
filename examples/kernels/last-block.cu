//pass
//--blockDim=64 --gridDim=16

// Each block leaves its part; the block that takes the last ticket adds them up.
__device__ unsigned count;

__global__ void total(const float *in, volatile float *part, float *out) {
  __shared__ float s[64];
  __shared__ bool last;
  s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += part[i];
    *out = sum;
  }
}
