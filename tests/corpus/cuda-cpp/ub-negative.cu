// Undefined behaviour: a place before what a parameter points at.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* x) { x[x[0] - 1] = 1; }
