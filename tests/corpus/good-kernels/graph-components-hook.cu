//pass
//--blockDim=256 --gridDim=16

__global__ void hook(int *parent, const int2 *edge, int m) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < m) {
    int u = atomicAdd(&parent[edge[e].x], 0), v = atomicAdd(&parent[edge[e].y], 0);
    if (u < v) atomicMin(&parent[v], u);
    else if (v < u) atomicMin(&parent[u], v);
  }
}
