// Undefined behaviour: the pointer was kept from the last round. The variable of this round may lie at the same place.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* r) {
  int first = 7;
  int* p = &first;
  for (int i = 0; i < 2; ++i) {
    int a = 1;
    r[i] = *p;
    p = &a;
  }
}
