// Undefined behaviour: a shift by less than the width is none.
// @Config: 1, 1, 1
// @Input: n = {31}
// @Output: forall (true)
__global__ void k(int* n, unsigned* r) {
  r[0] = 1u << *n;
}
