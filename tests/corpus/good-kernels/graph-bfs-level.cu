//pass
//--blockDim=256 --gridDim=32

__global__ void bfs(int *level, const int *row, const int *col, int *again, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && atomicAdd(&level[v], 0) == depth)
    for (int e = row[v]; e < row[v + 1]; e++)
      if (atomicCAS(&level[col[e]], -1, depth + 1) == -1) atomicExch(again, 1);
}
