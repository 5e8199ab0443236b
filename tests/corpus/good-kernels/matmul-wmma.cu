//pass
//--blockDim=32 --gridDim=[8,8]

#include <mma.h>
using namespace nvcuda;
__global__ void matmul(float *c, const __half *a, const __half *b) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < 128; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * 128 + k, 128);
    wmma::load_matrix_sync(fb, b + k * 128 + blockIdx.x * 16, 128);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * 128 + blockIdx.x * 16, fc, 128, wmma::mem_row_major);
}
