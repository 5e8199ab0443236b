//pass
//--local_size=64 --num_groups=8

__kernel void dwt(__global const float *in, __global float *low, __global float *high) {
  int i = get_global_id(0);
  float2 v = vload2(i, in);
  low[i] = (v.x + v.y) * 0.70710678f;
  high[i] = (v.x - v.y) * 0.70710678f;
}
