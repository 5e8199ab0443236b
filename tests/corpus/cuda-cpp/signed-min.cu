// Minimum and maximum heed the sign of the type; so do comparisons, shifts and conversions.
// @Config: 1, 1, 1
// @Input: s = {-5}, u = {0xfffffffb}
// @Output: forall (s[0] == -5 and u[0] == 3 and r[0] == 1 and r[1] == 0 and r[2] == -3 and r[3] == 2147483645 and r[4] == 251)
__global__ void k(int* s, unsigned* u, int* r) {
  r[0] = *s < 1;
  r[1] = *u < 1u;
  r[2] = *s >> 1;
  r[3] = *u >> 1;
  r[4] = (unsigned char)*u;
  atomicMin(s, 3);
  atomicMin(u, 3u);
}
