// A bool goes into a ballot; that it is 0 or 1, which clang looks at, parts no lanes. Two threads of four have ended.
// @Config: 4, 1, 1
// @Input: p = {0, 5, 5, 5}
// @Output: forall (got[0] == 2 && got[1] == 2 && got[2] == 0)
__global__ void k(unsigned* got, const int* p) {
  if (threadIdx.x >= 2) return;
  bool positive = p[threadIdx.x] > 0;
  got[threadIdx.x] = __ballot_sync(~0u, positive);
}
