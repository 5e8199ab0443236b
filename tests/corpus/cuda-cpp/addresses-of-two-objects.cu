// A pointer that may be into one of two arrays.
// @Config: 1, 1, 1
// @Input: a = {1, 2}, b = {3, 4}, which = {0}
// @Output: forall (a[0] == 1 and a[1] == 2 and b[0] == 3 and b[1] == 7)
__global__ void k(int* a, int* b, int* which) {
  int* p = *which ? a : b;
  p[1] = 7;
}
