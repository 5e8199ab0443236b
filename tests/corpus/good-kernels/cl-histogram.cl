//pass
//--local_size=256 --num_groups=16

__kernel void histogram(__global const uchar *in, __global int *bins, int n) {
  __local int s[256];
  int t = get_local_id(0);
  s[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&s[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], s[t]);
}
