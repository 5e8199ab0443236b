// A variable of a loop's body is another in each round: what it held in the last one is gone.
// @Config: 1, 1, 1
// @Output: exists (r[1] == 77)
__global__ void k(int* r) {
  for (int i = 0; i < 2; ++i) {
    int x;
    if (i == 0) x = 5;
    r[i] = x;
  }
}
