//pass
//--local_size=64 --num_groups=8

__kernel void clampit(__global int *a, uint n, int lo, int hi) {
  size_t i = get_global_id(0);
  if (i >= n) return;
  if (a[i] >= lo && a[i] <= hi) return;
  a[i] = a[i] < lo ? lo : hi;
}
