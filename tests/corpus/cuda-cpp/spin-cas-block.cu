// A spin lock by atomicCAS_block, across blocks.
// @Config: 1, 1, 2
// @Output: forall (count[0] == 2)
__global__ void locked(int* lock, int* count) {
  while (atomicCAS_block(lock, 0, 1) != 0) {
  }
  __threadfence();
  count[0] = count[0] + 1;
  __threadfence();
  atomicExch_block(lock, 0);
}
