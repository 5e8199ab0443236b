//pass
//--local_size=64 --num_groups=16

__kernel void stencil(__global float *out, __global const float *in) {
  __local float s[66];
  int t = get_local_id(0), g = get_global_id(0) + 1;
  s[t + 1] = in[g];
  if (t == 0) s[0] = in[g - 1];
  if (t == 63) s[65] = in[g + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}
