//pass
//--local_size=[16,16] --num_groups=[8,8]

__kernel void matmul(__global float *c, __global const float *a, __global const float *b, int n, int k) {
  int col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
  if (col < n) c[row * n + col] = s;
}
