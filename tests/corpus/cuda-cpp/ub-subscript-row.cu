// Undefined behaviour: a subscript outside of a row, where the next row lies.
// @Config: 1, 1, 1
// @Output: forall (true)
__global__ void k(int* x) {
  int rows[2][3] = {};
  x[1] = rows[0][x[0] + 3];
}
