// Switch, early returns, nested calls, lambdas.
// @Config: 1, 1, 1
// @Input: n = {2, 5}
// @Output: forall (r[0] == 20 and r[1] == -1 and r[2] == 7)
__device__ int pick(int n) {
  switch (n) {
    case 1: return 10;
    case 2:
    case 3: n *= 10; break;
    default: return -1;
  }
  return n;
}
__global__ void k(int* n, int* r) {
  auto add = [&](int a) { return a + n[1]; };
  r[0] = pick(n[0]);
  r[1] = pick(n[1]);
  r[2] = add(2);
}
