// Shared memory starts with any value.
// @Config: 1, 1, 1
// @Output: exists (r[0] == 77)
__global__ void k(int* r) {
  __shared__ int x;
  r[0] = x;
}
