//pass
//--local_size=64 --num_groups=8

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void sums(__global int *out, __global const int *in) {
  __local int s;
  if (get_local_id(0) == 0) s = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = sub_group_reduce_add(in[get_global_id(0)]);
  if (get_sub_group_local_id() == 0) atomic_add(&s, v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[get_group_id(0)] = s;
}
