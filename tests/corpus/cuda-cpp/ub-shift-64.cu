// Undefined behaviour: a shift by 2^32, whose low bits are 0.
// @Config: 1, 1, 1
// @Input: n = {4294967296}
// @Output: forall (true)
__global__ void k(long long* n, long long* r) {
  r[0] = 1ll << *n;
}
