// A structure of a loop's body is another one in each round, as a number is.
// @Config: 1, 1, 1
// @Output: exists (r[1] == 77)
struct Pair {
  int a, b;
};
__global__ void k(int* r) {
  for (int i = 0; i < 2; ++i) {
    Pair p;
    if (i == 0) p.a = 5;
    r[i] = p.a;
  }
}
