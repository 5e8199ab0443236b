//pass
//--blockDim=128 --gridDim=32

__global__ void insert(unsigned *keys, const unsigned *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = in[i], slot = (k * 2654435761u) >> 20;
  for (int tries = 0; tries < 4096; tries++) {
    unsigned old = atomicCAS(&keys[slot], 0u, k);
    if (old == 0u || old == k) return;
    slot = (slot + 1) & 4095;
  }
}
