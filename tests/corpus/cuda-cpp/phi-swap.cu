// Values that change places in a loop: all meet at once.
// @Config: 1, 1, 1
// @Output: forall (r[0] == 2 and r[1] == 1)
__global__ void k(int* r) {
  int a = 1, b = 2;
  for (int n = 0; n < 1; ++n) {
    int t = a;
    a = b;
    b = t;
  }
  r[0] = a;
  r[1] = b;
}
