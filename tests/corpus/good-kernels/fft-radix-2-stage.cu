//pass
//--blockDim=128 --gridDim=8

__global__ void fft(float2 *a) {
  __shared__ float2 s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  s[t + 128] = a[blockIdx.x * 256 + t + 128];
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    int k = t % h, i = (t / h) * 2 * h + k;
    float sn, cs;
    sincosf(-3.14159265f * k / h, &sn, &cs);
    float2 u = s[i], v = s[i + h];
    float2 w = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
    s[i] = make_float2(u.x + w.x, u.y + w.y);
    s[i + h] = make_float2(u.x - w.x, u.y - w.y);
    __syncthreads();
  }
  a[blockIdx.x * 256 + t] = s[t];
  a[blockIdx.x * 256 + t + 128] = s[t + 128];
}
