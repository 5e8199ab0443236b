// Undefined behaviour: an access inside of it is none.
// @Config: 1, 1, 1
// @Input: n = {3}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  __shared__ int x[4];
  x[*n] = 1;
}
