// Pointers to variables, used while these are there: through calls, structures, lambdas, loops.
// @Config: 1, 1, 1
// @Output: forall (r[0] == 7 and r[1] == 9 and r[2] == 3 and r[3] == 6)
struct Holder {
  int* p;
};
__device__ void keep(Holder& h, int* p) { h.p = p; }
__device__ int& larger(int& a, int& b) { return a < b ? b : a; }
__global__ void k(int* r) {
  for (int i = 0; i < 2; ++i) {
    int x = 7 + i;
    Holder h;
    keep(h, &x);
    *h.p += i;
    r[i] = *h.p;
  }
  auto add = [&](int d) { r[2] += d; };
  add(3);
  int a = 4, b = 5;
  larger(a, b) += 1;
  r[3] = b;
}
