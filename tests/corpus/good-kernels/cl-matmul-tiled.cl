//pass
//--local_size=[16,16] --num_groups=[8,8]

__kernel void matmul(__global float *c, __global const float *a, __global const float *b) {
  __local float as[16][16], bs[16][16];
  int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int t = 0; t < 8; t++) {
    as[ly][lx] = a[row * 128 + t * 16 + lx];
    bs[ly][lx] = b[(t * 16 + ly) * 128 + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) s = fma(as[ly][k], bs[k][lx], s);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * 128 + col] = s;
}
