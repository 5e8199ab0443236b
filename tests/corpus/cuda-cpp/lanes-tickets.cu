// One lane takes tickets for its warp, and gives each lane its own.
// @Config: 2, 1, 2
// @Output: forall (next[0] == 4 && got[0] != got[1] && got[0] != got[2] && got[0] != got[3] && got[1] != got[2] && got[1] != got[3] && got[2] != got[3])
__global__ void tickets(unsigned* next, unsigned* got) {
  unsigned who = __ballot_sync(~0u, 1), base = 0;
  if (threadIdx.x == 0) base = atomicAdd(next, __popc(who));
  base = __shfl_sync(~0u, base, 0);
  got[blockIdx.x * blockDim.x + threadIdx.x] = base + __popc(who & ((1u << threadIdx.x) - 1));
}
