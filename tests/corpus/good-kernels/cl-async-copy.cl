//pass
//--local_size=64 --num_groups=16

__kernel void reverse(__global int *out, __global const int *in) {
  __local int s[64];
  event_t e = async_work_group_copy(s, in + get_group_id(0) * 64, 64, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = s[63 - get_local_id(0)];
}
