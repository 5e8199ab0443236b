// Undefined behaviour: the variable that the pointer names has ended with its function.
// @Config: 1, 1, 1
// @Output: forall (true)
__device__ int* address_of_own(int v) {
  int own = v;
  return &own;
}
__global__ void k(int* r) { r[0] = *address_of_own(7); }
