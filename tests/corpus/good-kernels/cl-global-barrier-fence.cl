//pass
//--local_size=64 --num_groups=16

__kernel void exchange(__global int *a, __global int *b) {
  int base = get_group_id(0) * 64, t = get_local_id(0);
  a[base + t] = t;
  barrier(CLK_GLOBAL_MEM_FENCE);
  b[base + t] = a[base + 63 - t];
}
