// Undefined behaviour: a subscript outside of the member, where another member lies.
// @Config: 1, 1, 1
// @Output: forall (true)
struct S {
  int a[2];
  int b;
};
__device__ S g;
__global__ void k(int* x) { g.a[x[0] + 2] = 1; }
