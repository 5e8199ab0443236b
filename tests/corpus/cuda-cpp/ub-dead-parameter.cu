// Undefined behaviour: a parameter ends with its function, as its variables do.
// @Config: 1, 1, 1
// @Output: forall (true)
__device__ int* address_of_parameter(int v) { return &v; }
__global__ void k(int* r) { r[0] = *address_of_parameter(7); }
