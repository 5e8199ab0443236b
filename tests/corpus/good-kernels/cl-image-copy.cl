//pass
//--local_size=[8,8] --num_groups=[8,8]

__kernel void invert(read_only image2d_t in, write_only image2d_t out) {
  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, 1.0f - read_imagef(in, s, p));
}
