//pass
//--local_size=64 --num_groups=16

// A lock of OpenCL 2: whoever sets the flag acquires, whoever clears it releases.
__kernel void sum(__global atomic_flag *lock, __global int *total, __global const int *value) {
  bool done = false;
  while (!done) {
    if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {
      *total += value[get_global_id(0)];
      atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
      done = true;
    }
  }
}
