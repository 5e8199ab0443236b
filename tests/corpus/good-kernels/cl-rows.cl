//pass
//--local_size=[16,16] --num_groups=[8,8]

__kernel void brighten(__global uchar *img, int width, int height, int by) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) img[y * width + x] = (uchar)clamp(img[y * width + x] + by, 0, 255);
}
