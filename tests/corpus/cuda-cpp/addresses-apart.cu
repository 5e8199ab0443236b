// Two pointers into one array are told apart by their offsets, also when they meet again.
// @Config: 1, 1, 1
// @Input: x = {1, 2, 3, 4}, which = {1}
// @Output: forall (x[0] == 1 and x[1] == 9 and x[2] == 3 and x[3] == 8)
__global__ void k(int* x, int* which) {
  int* p = *which ? x + 1 : x + 2;
  int* q = *which ? &x[3] : &x[0];
  *p = 9;
  *q = 8;
}
