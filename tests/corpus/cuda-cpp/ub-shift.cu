// Undefined behaviour: a shift by the width.
// @Config: 1, 1, 1
// @Input: n = {32}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  r[0] = 1 << *n;
}
