// Undefined behaviour: a division by another number is none.
// @Config: 1, 1, 1
// @Input: n = {3}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  r[0] = 7 / *n;
}
