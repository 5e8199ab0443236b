// Ticket lock.
// Every work-item draws a number and waits until it is served; then it adds one to x and notes what it found.
// Drawing the number needs no order: what orders the critical sections is the counter of those served.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
#define SCOPE memory_scope_device
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

__kernel void ticketlock(__global atomic_uint* next, __global atomic_uint* serving, __global uint* x, __global uint* seen) {
  uint ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, SCOPE);
  while (atomic_load_explicit(serving, ACQUIRE, SCOPE) != ticket) {
  }
  uint count = x[0];
  seen[get_global_id(0)] = count;
  x[0] = count + 1;
  atomic_store_explicit(serving, ticket + 1, RELEASE, SCOPE);
}
