// Shared memory that the launch gives.
// @Config: 2, 1, 1
// @Output: forall (r[0] == 2 and r[1] == 1)
extern __shared__ int tile[];
__global__ void k(int* r) {
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  r[threadIdx.x] = tile[1 - threadIdx.x];
}
