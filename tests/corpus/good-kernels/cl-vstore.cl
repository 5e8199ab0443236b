//pass
//--local_size=64 --num_groups=16

__kernel void widen(__global int *out, __global const short *in) {
  int i = get_global_id(0);
  vstore4(convert_int4(vload4(i, in)), i, out);
}
