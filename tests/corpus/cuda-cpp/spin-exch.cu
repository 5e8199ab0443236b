// A spin lock by atomicExch with fences.
// @Config: 1, 1, 2
// @Output: forall (count[0] == 2)
__global__ void locked(int* lock, int* count) {
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  count[0] = count[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}
