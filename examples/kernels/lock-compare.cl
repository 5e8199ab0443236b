//pass
//--local_size=64 --num_groups=16

// A compare-and-swap lock of OpenCL 2, with fences in place of ordered operations.
__kernel void sum(__global atomic_int *lock, __global int *total, __global const int *value) {
  bool done = false;
  while (!done) {
    int free = 0;
    if (atomic_compare_exchange_weak_explicit(lock, &free, 1, memory_order_relaxed, memory_order_relaxed,
                                              memory_scope_device)) {
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
      *total += value[get_global_id(0)];
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
      atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
      done = true;
    }
  }
}
