// A lock that is tried until it is had; who has it adds one to x. Weakened: acquires are relaxed. No two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
__kernel void lock_exch(__global atomic_uint* lock, __global uint* x, __global uint* seen) {
  while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device) != 0) {
  }
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
