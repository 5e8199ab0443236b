// Undefined behaviour, as ub-dead-round-read, with the pointer in a structure and the variable in a function.
// @Config: 1, 1, 1
// @Output: forall (true)
struct Holder {
  int* p;
};
__device__ void keep(Holder& h, int* r, int i) {
  int a = i;
  r[i] = *h.p;
  h.p = &a;
}
__global__ void k(int* r) {
  int first = 7;
  Holder h;
  h.p = &first;
  for (int i = 0; i < 2; ++i) keep(h, r, i);
}
