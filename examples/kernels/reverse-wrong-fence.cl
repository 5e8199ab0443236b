//xfail:NOT_ALL_VERIFIED
//--local_size=128 --num_groups=8
//race on block

// As reverse.cl, but the barrier orders global memory, and the block is in local memory.
__kernel void reverse(__global int *restrict to, __global const int *restrict from) {
  __local int block[128];
  const int i = get_local_id(0), base = get_group_id(0) * 128;
  block[i] = from[base + i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  to[base + i] = block[127 - i];
}
