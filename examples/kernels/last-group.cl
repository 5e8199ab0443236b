//pass
//--local_size=64 --num_groups=16 --std=CL2.0

// The ticket itself releases what the group has left and acquires what the others have.
__kernel void total(__global const float *in, __global float *part, __global float *out, __global atomic_uint *count) {
  __local float s[64];
  __local bool last;
  size_t l = get_local_id(0), g = get_group_id(0);
  s[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    part[g] = sum;
    last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (last) out[l] = part[l % get_num_groups(0)];
}
