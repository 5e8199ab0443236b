//pass
//--blockDim=256 --gridDim=16

__global__ void compact(int *out, int *sizes, const int *in) {
  int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned m = __ballot_sync(0xffffffffu, v > 0);
  if (v > 0) out[warp * 32 + __popc(m & ((1u << lane) - 1))] = v;
  if (lane == 0) sizes[warp] = __popc(m);
}
