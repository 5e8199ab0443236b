// atomicInc wraps at its operand, atomicDec at 0.
// @Config: 1, 1, 1
// @Input: x = {3, 0, 9}
// @Output: forall (x[0] == 0 and x[1] == 5 and x[2] == 5)
__global__ void k(unsigned* x) {
  atomicInc(&x[0], 3u);
  atomicDec(&x[1], 5u);
  atomicDec(&x[2], 5u);
}
