//pass
//--blockDim=128 --gridDim=8
//Verified

// Two tickets of one counter: no value comes back from two calls, whichever threads made them (the map `used` of NFM 2014).
__global__ void two(unsigned *next, int *out) {
  unsigned i = atomicAdd(next, 1u);
  unsigned j = atomicAdd(next, 1u);
  out[i] = 1;
  out[j] = 2;
}
