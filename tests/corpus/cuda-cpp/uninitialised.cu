// A variable that was never set may hold anything.
// @Config: 1, 1, 1
// @Output: exists (r[0] == 77)
__global__ void k(int* r) {
  int x;
  r[0] = x;
}
