// The low 24 bits of each factor count, the other 8 are ignored; of signed numbers bit 23 is the sign.
// @Config: 1, 1, 1
// @Input: x = {16777218, 8388609, -16777213}
// @Output: forall (r[0] == 6 && r[1] == -8388607 && r[2] == 9 && r[3] == 8388609)
__global__ void k(int* x, int* r) {
  r[0] = __mul24(x[0], 3);
  r[1] = __mul24(x[1], 1);
  r[2] = __mul24(3, x[2]);
  r[3] = __umul24(x[1], 1);
}
