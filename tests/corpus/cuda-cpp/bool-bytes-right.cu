// @Config: 1, 1, 1
// @Output: forall (x[0] == 1)
__global__ void k(bool* b, bool given, int* x) {
  bool c = x[0] == 0, d = given;
  b[0] = c || d;
  __shared__ bool s[2];
  s[threadIdx.x] = b[0];
  if (s[0] == c && (d || c)) x[0] = 1;
}
