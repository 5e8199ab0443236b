//xfail:NOT_ALL_VERIFIED
//--blockDim=128 --gridDim=1
//possible write-write race on out

// A plain store puts the counter back, so that a ticket drawn before it is drawn once more behind it.
__global__ void reset(int *out) {
  __shared__ unsigned next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  unsigned i = atomicAdd(&next, 1u);
  __syncthreads();
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  unsigned j = atomicAdd(&next, 1u);
  if (threadIdx.x < 64)
    out[i] = 1;
  else
    out[j] = 2;
}
