// Undefined behaviour: an access outside of an array.
// @Config: 1, 1, 1
// @Input: n = {4}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  __shared__ int x[4];
  x[*n] = 1;
}
