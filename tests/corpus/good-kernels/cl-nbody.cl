//pass
//--local_size=64 --num_groups=8

__kernel void forces(__global const float4 *p, __global float4 *f) {
  __local float4 s[64];
  int t = get_local_id(0), i = get_global_id(0);
  float4 me = p[i], a = 0;
  for (int k = 0; k < get_num_groups(0); k++) {
    s[t] = p[k * 64 + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
      float4 d = s[j] - me;
      a += d * s[j].w * native_rsqrt(dot(d.xyz, d.xyz) + 0.01f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  f[i] = a;
}
