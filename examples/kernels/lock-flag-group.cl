//xfail:NOT_ALL_VERIFIED
//--local_size=64 --num_groups=16
//race on total

// The scope of the lock does not hold the work items of other groups.
__kernel void sum(__global atomic_flag *lock, __global int *total, __global const int *value) {
  bool done = false;
  while (!done) {
    if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_work_group)) {
      *total += value[get_global_id(0)];
      atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_work_group);
      done = true;
    }
  }
}
