//pass
//--blockDim=64 --gridDim=4

__global__ void merge_pairs(int *out, const int *in, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int *p = in + t * 32;
  int i = 0, j = 16;
  for (int k = 0; k < 32; k++) out[t * 32 + k] = j >= 32 || (i < 16 && p[i] <= p[j]) ? p[i++] : p[j++];
}
