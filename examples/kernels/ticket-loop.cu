//pass
//--blockDim=128 --gridDim=8
//Verified

// A ticket drawn in a loop: each thread takes places of its own until none is left (figure 3 of NFM 2014, without a master).
__global__ void work(unsigned *next, int *out, unsigned n) {
  unsigned i = atomicAdd(next, 1u);
  while (i < n) {
    out[i] = (int)i;
    i = atomicAdd(next, 1u);
  }
}
