// @Config: 1, 1, 1
// Structures by value: what a function does to its parameter the caller does not see.
// @Output: forall (x[0] == 5 and x[1] == 9 and x[2] == 6 and x[3] == 5 and x[4] == 102 and x[5] == 1 and x[6] == 9 and x[7] == 3)
// @Output: forall (x[8] == 5 and x[9] == 1 and x[12] == 7 and x[13] == 5 and x[14] == 8 and x[15] == 11)
struct S { int a; int b[2]; };
struct N { S s; int c; };
struct V { int a; __device__ V(int n) : a(n) {} __device__ V(const V& o) : a(o.a + 100) {} __device__ ~V() {} };
__device__ int f(S s) { s.a = 9; s.b[1] = 3; return s.a; }
__device__ S g1(S s) { s.a += 1; return s; }
__device__ int computed(S s, int i) { s.b[i & 1] = 11; return s.b[0] + s.b[1]; }
__device__ int twice(S p, S q) { p.a = 1; return q.a; }
__device__ int copied(V v) { v.a += 1; return v.a; }
__global__ void k(int* x, N* g, int n, S by) {
  S s = {5, {1, 3}};
  x[1] = f(s);
  x[0] = s.a;
  S t = g1(s);
  x[2] = t.a;
  x[3] = s.a;
  for (int i = 0; i < 2; i++) f(s);
  x[8] = s.a;
  g[0].s.a = 1;
  f(g[0].s);
  x[9] = g[0].s.a;
  S a[2] = {{7, {0, 0}}, {8, {0, 0}}};
  computed(a[n & 1], n);
  x[12] = a[0].a + a[0].b[0] + a[0].b[1];
  x[13] = twice(s, s);
  x[14] = a[1].a + a[1].b[0] + a[1].b[1];
  x[15] = computed(a[0], n);
  V v(1);
  x[4] = copied(v);
  x[5] = v.a;
  x[6] = f(by);
  by.a = 3;
  f(by);
  x[7] = by.a;
}
