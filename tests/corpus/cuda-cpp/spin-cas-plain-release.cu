// A spin lock by atomicCAS and a plain store.
// @Config: 1, 1, 2
// @Output: forall (count[0] == 2)
__global__ void locked(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  count[0] = count[0] + 1;
  __threadfence();
  *lock = 0;
}
