// Structures, arrays in them, pointers to them and copies of them; a structure by value.
// @Config: 1, 1, 1
// @Input: list = {{1, {2, 3}, 4}, {5, {6, 7}, 8}}, by = {3, -1}
// @Output: forall (list[0][0] == 5 and list[0][1][1] == 7 and list[0][2] == 8 and list[1][0] == 2 and r[0] == 12 and r[1] == -2)
struct Node {
  char kind;
  short pair[2];
  long long value;
};
struct By {
  int factor;
  signed char offset;
};
__device__ Node changed(Node n) {
  n.kind -= 3;
  return n;
}
__global__ void k(Node* list, By by, int* r) {
  Node first = list[1];
  list[0] = first;
  list[1] = changed(first);
  r[0] = by.factor * 4;
  by.offset += by.offset;
  r[1] = by.offset;
}
