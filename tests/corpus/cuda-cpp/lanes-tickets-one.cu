// One lane takes a ticket for its warp, and forgets that others want one as well.
// @Config: 2, 1, 2
// @Output: forall (got[0] != got[1] && got[0] != got[2] && got[0] != got[3] && got[1] != got[2] && got[1] != got[3] && got[2] != got[3])
__global__ void tickets(unsigned* next, unsigned* got) {
  unsigned who = __ballot_sync(~0u, 1), base = 0;
  if (threadIdx.x == 0) base = atomicAdd(next, 1);
  base = __shfl_sync(~0u, base, 0);
  got[blockIdx.x * blockDim.x + threadIdx.x] = base + __popc(who & ((1u << threadIdx.x) - 1));
}
