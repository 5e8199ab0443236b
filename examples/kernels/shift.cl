//xfail:NOT_ALL_VERIFIED
//--local_size=64 --num_groups=16
//shift.cl: error: possible (read-write|write-read) race on a\[\d+\]
//shift.cl:8:(25|27):

// Reads what its neighbour writes: a barrier is missing between the two.
__kernel void shift(__global int *a) {
    a[get_global_id(0)] = a[get_global_id(0) + 1];
}
