//pass
//--local_size=64 --num_groups=64

// Each work item writes its own element.
__kernel void copy(__global float *restrict to, __global const float *restrict from) {
  to[get_global_id(0)] = from[get_global_id(0)];
}
