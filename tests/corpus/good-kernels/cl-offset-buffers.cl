//pass
//--local_size=64 --num_groups=8

__kernel void split(__global int *buffer, int unused) {
  int i = get_global_id(0);
  __global int *left = buffer, *right = buffer + 512;
  int v = left[i];
  left[i] = v / 2;
  right[i] = v - v / 2;
}
