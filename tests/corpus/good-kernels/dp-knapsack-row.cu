//pass
//--blockDim=256 --gridDim=16

__global__ void row(int *next, const int *best, int weight, int value, int capacity) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w > capacity) return;
  int v = best[w];
  if (weight <= w && weight >= 0) v = max(v, best[w - weight] + value);
  next[w] = v;
}
