// Undefined behaviour: a division by zero.
// @Config: 1, 1, 1
// @Input: n = {0}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  r[0] = 1 / *n;
}
