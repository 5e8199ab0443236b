//pass
//--local_size=64 --num_groups=16

__kernel void twice(__global int *a) {
  __local int s[64];
  int t = get_local_id(0);
  event_t e = async_work_group_copy(s, a + get_group_id(0) * 64, 64, 0);
  wait_group_events(1, &e);
  s[t] *= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(a + get_group_id(0) * 64, s, 64, 0);
  wait_group_events(1, &e);
}
