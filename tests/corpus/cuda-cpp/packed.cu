// Members of a packed structure are not aligned; compilers access them in pieces.
// @Config: 1, 1, 1
// @Output: forall (r[0] == 70000 and r[1] == 2 and r[2] == 5 and r[3] == -6)
struct __attribute__((packed)) Row {
  char tag;
  int n;
  long long big;
  short s;
};
__device__ Row row;
__global__ void k(int* r) {
  Row a;
  a.tag = 1;
  a.n = 70000;
  a.big = (2ll << 32) + 5;
  a.s = -6;
  Row b = a;
  row = b;
  r[0] = row.n;
  r[1] = (int)(row.big >> 32);
  r[2] = (int)row.big;
  r[3] = row.s;
}
