//pass
//--blockDim=128 --gridDim=32

__global__ void spmv(float *y, const float *val, const int *row, const int *col, const float *x, int nnz) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < nnz) atomicAdd(&y[row[k]], val[k] * x[col[k]]);
}
