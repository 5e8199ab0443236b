//pass
//--blockDim=128 --gridDim=16

__global__ void loss(float *out, const float *logp, const int *target, int classes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = -logp[i * classes + target[i]];
}
