// Undefined behaviour: a shift by a negative number.
// @Config: 1, 1, 1
// @Input: n = {-1}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  r[0] = 1 >> *n;
}
