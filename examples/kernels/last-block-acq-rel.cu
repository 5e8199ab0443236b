//pass
//--blockDim=64 --gridDim=16

// The ticket of the last block releases and acquires: no fences.
#include <cuda/atomic>
__device__ unsigned count;
__global__ void total(const float *in, float *part, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(count);
    last = c.fetch_add(1, cuda::std::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) out[threadIdx.x] = part[threadIdx.x % gridDim.x];
}
