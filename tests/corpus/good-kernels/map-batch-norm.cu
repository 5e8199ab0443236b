//pass
//--blockDim=256 --gridDim=32

__global__ void normalise(float *x, const float *mean, const float *var, const float *g, const float *b, int channels, int inner, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = (i / inner) % channels;
  x[i] = g[c] * (x[i] - mean[c]) * rsqrtf(var[c] + 1e-5f) + b[c];
}
