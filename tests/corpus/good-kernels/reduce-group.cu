//pass
//--blockDim=256 --gridDim=8

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sum(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ int s[8];
  int v = in[blockIdx.x * 256 + block.thread_rank()];
  for (int d = warp.size() / 2; d > 0; d /= 2) v += warp.shfl_down(v, d);
  if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
  block.sync();
  if (block.thread_rank() == 0) {
    int total = 0;
    for (int k = 0; k < 8; k++) total += s[k];
    out[blockIdx.x] = total;
  }
}
