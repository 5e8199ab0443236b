//pass
//--blockDim=256 --gridDim=32

__global__ void pull(float *next, const float *rank, const int *row, const int *col, const int *degree, float d, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    float s = 0;
    for (int e = row[v]; e < row[v + 1]; e++) s += rank[col[e]] / degree[col[e]];
    next[v] = (1 - d) / n + d * s;
  }
}
