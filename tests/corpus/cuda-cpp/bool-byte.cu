// @Config: 1, 1, 1
// @Output: forall (x[0] == 0 or x[0] == 1)
// A byte that is neither 0 nor 1 is no bool.
__global__ void k(unsigned char* u, int* x) {
  u[0] = 2;
  if (*(bool*)u) x[0] = 1;
}
