//pass
//--local_size=64 --num_groups=16

__kernel void store(__global half *out, __global const float *in) {
  int i = get_global_id(0);
  vstore_half(in[i] * 0.5f, i, out);
}
