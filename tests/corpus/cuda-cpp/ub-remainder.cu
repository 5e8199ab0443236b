// Undefined behaviour: the least number by -1.
// @Config: 1, 1, 1
// @Input: n = {-1}
// @Output: forall (true)
__global__ void k(int* n, int* r) {
  r[0] = (-2147483647 - 1) % *n;
}
