// Compare-and-swap lock. Weakened: releases are relaxed.
// Every work-item adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
#define SCOPE memory_scope_device
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_relaxed

__kernel void caslock(__global atomic_uint* lock, __global uint* x, __global uint* seen) {
  uint free;
  do {
    free = 0;
  } while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, ACQUIRE, memory_order_relaxed, SCOPE));
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_store_explicit(lock, 0, RELEASE, SCOPE);
}
