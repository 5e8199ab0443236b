//pass
//--blockDim=128 --gridDim=1

__global__ void rank(int *position, const int *key) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = key[t];
  __syncthreads();
  int r = 0;
  for (int k = 0; k < 128; k++) r += s[k] < s[t] || (s[k] == s[t] && k < t);
  position[t] = r;
}
