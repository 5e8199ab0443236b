// A variable that one way sets and the other does not.
// @Config: 1, 1, 1
// @Input: n = {0}
// @Output: exists (r[0] == 77)
__global__ void k(int* n, int* r) {
  int x;
  if (n[0]) x = 5;
  r[0] = x;
}
