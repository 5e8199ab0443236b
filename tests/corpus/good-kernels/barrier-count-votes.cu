//pass
//--blockDim=128 --gridDim=8

__global__ void converge(float *a, int *rounds) {
  __shared__ float s[130];
  int t = threadIdx.x, n = 0, i = blockIdx.x * 128 + t;
  s[t + 1] = a[i];
  if (t == 0) { s[0] = 0; s[129] = 0; }
  __syncthreads();
  int more = 1;
  while (more && n < 100) {
    float v = 0.5f * (s[t] + s[t + 2]);
    int moved = fabsf(v - s[t + 1]) > 1e-3f;
    more = __syncthreads_or(moved);
    s[t + 1] = v;
    __syncthreads();
    n++;
  }
  a[i] = s[t + 1];
  if (t == 0) rounds[blockIdx.x] = n;
}
