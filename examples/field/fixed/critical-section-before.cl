// @Config: 1, 1, 2
// KhronosGroup/OpenCL-CTS#1270: a critical section around global data whose fences name local memory alone.
// A reduction in our own words. As it was.
__kernel void section(__global atomic_int* lock, __global int* x) {
  int expected = 0;
  if (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_relaxed, memory_order_relaxed,
                                               memory_scope_device))
    return;  // in the test: again
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
  x[0] = x[0] + 1;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
  atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
