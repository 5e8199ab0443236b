// The same with the scope of the block, from two blocks.
// @Config: 1, 1, 2
// @Output: forall (x[0] == 65535)
__global__ void k(unsigned short* x, int* got) {
  got[blockIdx.x] = atomicCAS_block(&x[0], (unsigned short)0, (unsigned short)65535);
}
