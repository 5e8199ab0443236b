//pass
//--local_size=[8,8] --num_groups=[16,16]

__kernel void dct(__global float *out, __global const float *in, __global const float *c) {
  __local float a[64], b[64];
  int x = get_local_id(0), y = get_local_id(1), g = get_global_id(1) * 128 + get_global_id(0);
  a[y * 8 + x] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int k = 0; k < 8; k++) s += c[y * 8 + k] * a[k * 8 + x];
  b[y * 8 + x] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  s = 0;
  for (int k = 0; k < 8; k++) s += b[y * 8 + k] * c[x * 8 + k];
  out[g] = s;
}
