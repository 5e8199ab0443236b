// Test-and-test-and-set lock. Weakened: the scope of every atomic is the work-group, and the users are in different ones.
// Spins on a relaxed look, and only then tries to take the lock; then it adds one to x and notes what it found.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
#define SCOPE memory_scope_work_group
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

__kernel void ttaslock(__global atomic_uint* lock, __global uint* x, __global uint* seen) {
  for (;;) {
    while (atomic_load_explicit(lock, memory_order_relaxed, SCOPE) != 0) {
    }
    if (atomic_exchange_explicit(lock, 1, ACQUIRE, SCOPE) == 0) break;
  }
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_store_explicit(lock, 0, RELEASE, SCOPE);
}
