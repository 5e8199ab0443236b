// The pointer names the variable that has ended only where it is not used.
// @Config: 1, 1, 1
// @Output: forall (r[0] == 0)
__global__ void k(int* r, int n) {
  int* p = r + 1;
  {
    int x = 7;
    if (n == 3) p = &x;
  }
  if (n != 3) r[0] = *p;
}
