//pass
//--blockDim=[8,8] --gridDim=[16,16]

struct Sphere { float3 c; float r; };
__global__ void trace(uchar4 *image, const Sphere *s, int count, int width) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float ox = x - 64.0f, oy = y - 64.0f, best = 3e38f;
  int hit = -1;
  for (int k = 0; k < count; k++) {
    float dx = ox - s[k].c.x, dy = oy - s[k].c.y, q = s[k].r * s[k].r - dx * dx - dy * dy;
    if (q > 0 && s[k].c.z - sqrtf(q) < best) { best = s[k].c.z - sqrtf(q); hit = k; }
  }
  image[x + y * 128] = hit < 0 ? make_uchar4(0, 0, 0, 255) : make_uchar4(hit & 255, 128, 128, 255);
}
