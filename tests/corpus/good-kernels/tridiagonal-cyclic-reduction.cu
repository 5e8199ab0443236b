//pass
//--blockDim=64 --gridDim=8

__global__ void reduce(float *a, float *b, float *c, float *d) {
  __shared__ float sa[64], sb[64], sc[64], sd[64];
  int t = threadIdx.x, g = blockIdx.x * 64 + t;
  sa[t] = a[g]; sb[t] = b[g]; sc[t] = c[g]; sd[t] = d[g];
  __syncthreads();
  for (int h = 1; h < 64; h *= 2) {
    int l = t - h >= 0 ? t - h : t, r = t + h < 64 ? t + h : t;
    float k = t - h >= 0 ? sa[t] / sb[l] : 0, m = t + h < 64 ? sc[t] / sb[r] : 0;
    float na = -sa[l] * k, nb = sb[t] - sc[l] * k - sa[r] * m, nc = -sc[r] * m, nd = sd[t] - sd[l] * k - sd[r] * m;
    __syncthreads();
    sa[t] = na; sb[t] = nb; sc[t] = nc; sd[t] = nd;
    __syncthreads();
  }
  d[g] = sd[t] / sb[t];
}
