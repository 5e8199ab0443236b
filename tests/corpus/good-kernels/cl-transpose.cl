//pass
//--local_size=[16,16] --num_groups=[8,8]

__kernel void transpose(__global float *out, __global const float *in) {
  __local float t[16][17];
  int lx = get_local_id(0), ly = get_local_id(1);
  t[ly][lx] = in[get_global_id(1) * 128 + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ly) * 128 + get_group_id(1) * 16 + lx] = t[lx][ly];
}
