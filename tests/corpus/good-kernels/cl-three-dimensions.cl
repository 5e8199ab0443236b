//pass
//--local_size=[4,4,4] --num_groups=[4,4,4]

__kernel void fill(__global float *v, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x < w && y < h) v[(z * h + y) * w + x] = x + y + z;
}
