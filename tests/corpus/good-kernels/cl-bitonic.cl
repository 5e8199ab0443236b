//pass
//--local_size=64 --num_groups=8

__kernel void sort(__global uint *a) {
  __local uint s[128];
  uint t = get_local_id(0);
  s[t] = a[get_group_id(0) * 128 + t];
  s[t + 64] = a[get_group_id(0) * 128 + t + 64];
  for (uint k = 2; k <= 128; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint i = 2 * t - (t & (j - 1));
      if (((i & k) == 0) == (s[i] > s[i + j])) { uint v = s[i]; s[i] = s[i + j]; s[i + j] = v; }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_group_id(0) * 128 + t] = s[t];
  a[get_group_id(0) * 128 + t + 64] = s[t + 64];
}
