//pass
//--local_size=64 --num_groups=16

__kernel void collect(__global int *out, __global volatile int *count, __global const int *in, int n) {
  int i = get_global_id(0);
  if (i < n && in[i] > 0) out[atomic_inc(count)] = in[i];
}
