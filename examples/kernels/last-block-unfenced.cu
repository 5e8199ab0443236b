//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=16
//last-block-unfenced.cu: error: possible (read-write|write-read) race on part

// Nothing keeps the part from being stored behind the ticket.
__device__ unsigned count;

__global__ void total(volatile float *part, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += part[i];
    *out = sum;
  }
}
