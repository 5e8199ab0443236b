//pass
//--blockDim=256 --gridDim=32

__global__ void adam(float *w, float *m, float *v, const float *g, float rate, float b1, float b2, float eps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float gi = g[i], mi = b1 * m[i] + (1 - b1) * gi, vi = b2 * v[i] + (1 - b2) * gi * gi;
    m[i] = mi;
    v[i] = vi;
    w[i] -= rate * mi / (sqrtf(vi) + eps);
  }
}
