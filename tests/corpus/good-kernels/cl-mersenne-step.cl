//pass
//--local_size=64 --num_groups=8

__kernel void step(__global uint *state, __global float *out) {
  size_t i = get_global_id(0), n = get_global_size(0);
  uint s = state[i];
  for (int k = 0; k < 16; k++) {
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    out[k * n + i] = s * 2.3e-10f;
  }
  state[i] = s;
}
