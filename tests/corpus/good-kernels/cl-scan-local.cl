//pass
//--local_size=64 --num_groups=16

__kernel void scan(__global int *a) {
  __local int s[64];
  int t = get_local_id(0);
  s[t] = a[get_global_id(0)];
  for (int d = 1; d < 64; d <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t >= d ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += v;
  }
  a[get_global_id(0)] = s[t];
}
