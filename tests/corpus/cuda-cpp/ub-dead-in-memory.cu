// Undefined behaviour: a structure keeps the address of a variable that has ended.
// @Config: 1, 1, 1
// @Output: forall (true)
struct Holder {
  int* p;
};
__global__ void k(int* r) {
  Holder h;
  h.p = r;
  if (r[1] == 0) {
    int x[2] = {7, 8};
    h.p = &x[1];
  }
  r[0] = *h.p;
}
