// Undefined behaviour: the variable of the last round is not that of this one.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* r) {
  int* kept = r;
  for (int i = 0; i < 2; ++i) {
    *kept = i;
    int x = i;
    kept = &x;
  }
}
