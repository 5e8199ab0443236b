//pass
//--blockDim=128 --gridDim=16

__global__ void assign(int *label, const float *x, const float *centre, int k, int n) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < k * 4; i += blockDim.x) c[i] = centre[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 3e38f;
  int at = 0;
  for (int j = 0; j < k; j++) {
    float d = 0;
    for (int q = 0; q < 4; q++) { float e = x[i * 4 + q] - c[j * 4 + q]; d += e * e; }
    if (d < best) { best = d; at = j; }
  }
  label[i] = at;
}
