//pass
//--local_size=[16,16] --num_groups=[4,4]

__kernel void pass(__global uint *next, __global const uint *d, uint k) {
  int x = get_global_id(0), y = get_global_id(1);
  uint through = d[y * 64 + k] + d[k * 64 + x];
  next[y * 64 + x] = min(d[y * 64 + x], through);
}
