// Undefined behaviour: the variable has ended with its block.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* r) {
  int* p = r;
  if (r[1] == 0) {
    int x = 7;
    p = &x;
  }
  r[0] = *p;
}
