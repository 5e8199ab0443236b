// A lock that is tried until it is had; who has it adds one to x. Weakened: releases are relaxed. No two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
__kernel void lock_flag(__global atomic_flag* lock, __global uint* x, __global uint* seen) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {
  }
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_flag_clear_explicit(lock, memory_order_relaxed, memory_scope_device);
}
