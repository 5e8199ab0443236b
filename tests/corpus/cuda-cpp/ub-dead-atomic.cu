// Undefined behaviour: an atomic function on a variable that has ended.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* r) {
  int* p;
  {
    int x = 7;
    p = &x;
  }
  r[0] = atomicAdd(p, 1);
}
