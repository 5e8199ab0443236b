//pass
//--blockDim=256 --gridDim=32

__global__ void relax(int *next, const int *dist, const int *row, const int *col, const int *weight, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int d = dist[v];
  for (int e = row[v]; e < row[v + 1]; e++) atomicMin(&next[col[e]], d + weight[e]);
}
