//pass
//--blockDim=256 --gridDim=32

__global__ void push(float *next, const float *rank, const int *row, const int *col, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int begin = row[v], end = row[v + 1];
    float share = rank[v] / (end - begin);
    for (int e = begin; e < end; e++) atomicAdd(&next[col[e]], share);
  }
}
