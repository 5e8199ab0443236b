// Work-stealing deque with one task.
// The owner, work-group 0, pushes a task and takes from its end; the thief, work-group 1, steals from the other. Exactly one may
// run the last task, and it sees what was pushed.
// @Config: 1, 1, 2
// @Output: forall (not (ran[0] == 7 and ran[1] == 7))
#define SCOPE memory_scope_device
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

int claim(__global atomic_uint* head) {
  uint free = 0;
  return atomic_compare_exchange_strong_explicit(head, &free, 1, memory_order_relaxed, memory_order_relaxed, SCOPE);
}

__kernel void deque(__global atomic_uint* head, __global atomic_uint* tail, __global uint* task, __global uint* ran) {
  if (get_group_id(0) == 0) {
    task[0] = 7;
    atomic_store_explicit(tail, 1, RELEASE, SCOPE);
    atomic_store_explicit(tail, 0, memory_order_relaxed, SCOPE);  // take: the last task is contended
    if (claim(head)) ran[0] = task[0];
    atomic_store_explicit(tail, 1, RELEASE, SCOPE);
  } else {
    if (atomic_load_explicit(tail, ACQUIRE, SCOPE) == 1) {
      if (claim(head)) ran[1] = task[0];
    }
  }
}
