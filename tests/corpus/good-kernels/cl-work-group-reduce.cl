//pass
//--local_size=64 --num_groups=16

__kernel void sums(__global int *out, __global const int *in) {
  int s = work_group_reduce_add(in[get_global_id(0)]);
  if (get_local_id(0) == 0) out[get_group_id(0)] = s;
}
