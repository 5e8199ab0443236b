// A spin lock by atomicCAS, without the fence behind it.
// @Config: 1, 1, 2
// @Output: forall (count[0] == 2)
__global__ void locked(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  
  count[0] = count[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}
