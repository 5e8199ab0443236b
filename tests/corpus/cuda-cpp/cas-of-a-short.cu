// Compare-and-swap of 16 bits (sm_70 and later) leaves the other half of the word alone.
// @Config: 1, 1, 2
// @Output: forall (x[0] == 65535 and x[1] == 1 and (got[0] == 0 or got[1] == 0))
__global__ void k(unsigned short* x, int* got) {
  got[blockIdx.x] = atomicCAS(&x[0], (unsigned short)0, (unsigned short)65535);
  if (blockIdx.x == 1) atomicCAS_system(x + 1, (unsigned short)0, (unsigned short)1);
}
