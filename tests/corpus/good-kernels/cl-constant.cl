//pass
//--local_size=64 --num_groups=16

__constant float w[3] = {0.25f, 0.5f, 0.25f};
__kernel void filter(__global float *out, __global const float *in) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < 3; k++) s += w[k] * in[i + k];
  out[i] = s;
}
