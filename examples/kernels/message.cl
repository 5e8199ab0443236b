//pass
//--local_size=64 --num_groups=16

// A message through a flag: who reads 1 by an acquire load has what was written before the release store. That the flag is 0
// when the kernel starts is an assumption, which is printed.
__kernel void pass(__global int *data, __global atomic_int *flag, __global int *out) {
  if (get_global_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
    out[get_global_id(0)] = *data;
  }
}
