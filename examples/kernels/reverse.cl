//pass
//--local_size=128 --num_groups=8

// A block is turned around in local memory; the barrier separates writing from reading.
__kernel void reverse(__global int *restrict to, __global const int *restrict from) {
  __local int block[128];
  const int i = get_local_id(0), base = get_group_id(0) * 128;
  block[i] = from[base + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[base + i] = block[127 - i];
}
