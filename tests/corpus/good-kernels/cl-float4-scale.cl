//pass
//--local_size=64 --num_groups=16

__kernel void scale(__global float4 *a, float f) { a[get_global_id(0)] *= f; }
