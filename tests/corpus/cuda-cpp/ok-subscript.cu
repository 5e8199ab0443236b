// Subscripts inside of members and rows, the end of a member as an address, and a trailing array of one element.
// @Config: 1, 1, 1
// @Output: forall (x[1] == 3 and x[2] == 5 and x[3] == 9)
struct S {
  int a[2];
  int b;
};
struct Tail {
  int n;
  int a[1];
};
__device__ S g = {{1, 2}, 5};
__global__ void k(int* x, Tail* t) {
  int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int sum = 0;
  for (int* p = g.a; p != &g.a[x[0] + 2]; ++p) sum += *p;
  x[1] = sum;
  x[2] = rows[x[0] + 1][x[0] + 1];
  t->a[x[0] + 2] = 9;
  x[3] = t->a[2];
}
