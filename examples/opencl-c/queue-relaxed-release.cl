// Message queue of one slot, one producer, one consumer. Weakened: releases are relaxed.
// Two messages go through one slot: the producer waits until the slot is free, the consumer until it is full.
// @Config: 1, 1, 2
// @Output: forall (got[0] == 1 and got[1] == 2)
#define SCOPE memory_scope_device
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_relaxed

__kernel void queue(__global atomic_uint* written, __global atomic_uint* taken, __global uint* slot, __global uint* got) {
  if (get_group_id(0) == 0) {
    for (uint n = 0; n < 2; ++n) {
      while (atomic_load_explicit(taken, ACQUIRE, SCOPE) != n) {
      }
      slot[0] = n + 1;
      atomic_store_explicit(written, n + 1, RELEASE, SCOPE);
    }
  } else {
    for (uint n = 0; n < 2; ++n) {
      while (atomic_load_explicit(written, ACQUIRE, SCOPE) == n) {
      }
      got[n] = slot[0];
      atomic_store_explicit(taken, n + 1, RELEASE, SCOPE);
    }
  }
}
