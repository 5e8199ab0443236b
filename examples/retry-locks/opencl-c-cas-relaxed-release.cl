// A lock that is tried until it is had; who has it adds one to x. Weakened: releases are relaxed. No two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
__kernel void lock_cas(__global atomic_uint* lock, __global uint* x, __global uint* seen) {
  uint free;
  do {
    free = 0;
  } while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device));
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
