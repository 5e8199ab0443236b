// A variable that the host sees too.
// @Config: 1, 1, 2
// @Output: forall (count == 2)
__managed__ int count;
__global__ void k() { atomicAdd(&count, 1); }
