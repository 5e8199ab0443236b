//pass
//--blockDim=64 --gridDim=8

__global__ void sort_each(float *a) {
  float v[8];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; k++) v[k] = a[t * 8 + k];
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7 - i; j++)
      if (v[j] > v[j + 1]) { float s = v[j]; v[j] = v[j + 1]; v[j + 1] = s; }
  for (int k = 0; k < 8; k++) a[t * 8 + k] = v[k];
}
