typedef unsigned char byte;
struct inner { byte a; int b[2]; };
struct s { struct inner i; ulong l; uint v; };
union u { int a; uint b; };
enum e { A, B };
__constant uint table[4] = {1, 2, 3, 4};
int helper(int mine2) { return mine2 + 1; }
__kernel void go(__global struct s* p, uint n, __local bool* flags, __global const enum e* q, uint4 vec, __global union u* un, struct inner by) {
  __local uint tile[2][3];
  int mine = helper(n);
  tile[get_local_id(0)][1] = mine + table[n & 3];
  p[0].v = tile[0][1] + vec.x + by.a;
  flags[0] = q[0] == A;
  un[0].a = 1;
}
__kernel void stop(__global int* x) { uint here = 1; x[0] = here; }
