//pass
//--local_size=64 --num_groups=16

typedef struct { float2 p, v; } Ball;
__kernel void move(__global Ball *b, float dt) {
  int i = get_global_id(0);
  b[i].p += dt * b[i].v;
  if (b[i].p.y < 0) b[i].v.y = -b[i].v.y;
}
