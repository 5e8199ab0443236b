// ---- 4000001 --blockDim=64 --gridDim=1 --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 16);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
}

// ---- 4000002 --blockDim=4 --gridDim=2 --kernel-args=k,5
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  ((int2*)A)[gl] = make_int2(1, 1);
  ((struct P*)A)[gl].x = 1;
}

// ---- 4000004 --blockDim=2 --gridDim=3 --kernel-args=k,2
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl >= n) return;
  B[gl] = 1;
  __syncthreads();
  B[gl] = v1 + 1;
  atomicAdd((int*)&A[0], (int)(1));
  atomicAdd((unsigned long long*)&A[2 * (0)], (unsigned long long)(1));
}

// ---- 4000005 --blockDim=64 --gridDim=1 --kernel-args=k,2
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 32;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000007 --blockDim=2 --gridDim=3 --kernel-args=k,1
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (n == 3) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  v2 = A[gl] & 15;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
}

// ---- 4000008 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)A)[gl] = make_int2(1, 1);
  ((struct P*)A)[tid].x = 1;
  A[gl + L * G] = 1;
}

// ---- 4000010 --blockDim=64 --gridDim=1 --kernel-args=k,5 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  __syncthreads();
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  B[v0] = 1;
}

// ---- 4000011 --blockDim=4 --gridDim=1 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000015 --blockDim=4 --gridDim=1 --kernel-args=k,2
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed)) break; }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_relaxed);
  }
}

// ---- 4000016 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000017 --blockDim=4 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((char*)S)[4 * (tid ^ 1) + 0] = 1;
  __syncthreads();
  v2 = ((short*)S)[0] & 15;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000021 --blockDim=2 --gridDim=2 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000023 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < gid + 1; i0 += 1) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
    __syncthreads();
  }
}

// ---- 4000028 --blockDim=64 --gridDim=1 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 1);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
}

// ---- 4000031 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  B[gl + 64] = v0;
}

// ---- 4000032 --blockDim=2 --gridDim=2 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = B[gl] & 15;
  __syncthreads();
  S[tid] = tid;
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000033 --blockDim=3 --gridDim=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (atomicCAS(&F[0], 0, 1) != 0) {}
  __threadfence();
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  __threadfence();
  atomicExch((int*)&F[0], (int)(0));
  if (gl >= n) return;
  v0 = S[0] & 15;
  __syncthreads();
  B[gl] = 1;
  v0 = A[0] & 15;
  if ((v0 & 1) == 0) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  __syncthreads();
  B[gl] = 1;
}

// ---- 4000034 --blockDim=2 --gridDim=3 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  else {
    __syncthreads();
    v5 = B[gl] & 15;
  }
  B[gl] = 1;
}

// ---- 4000036 --blockDim=64 --gridDim=1 --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000051 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)B)[gl] = make_int2(1, 1);
  ((struct P*)B)[gl].x = 1;
}

// ---- 4000053 --blockDim=64 --gridDim=1 --kernel-args=k,2 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 1);
  if (tid == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
}

// ---- 4000054 --blockDim=3 --gridDim=2 --kernel-args=k,5
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  __syncthreads();
}

// ---- 4000061 --blockDim=2 --gridDim=2 --kernel-args=k,3
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).exchange(0, cuda::memory_order_relaxed);
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000062 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((char*)S)[0] = 1;
  __syncthreads();
  v1 = ((long long*)S)[(tid + 1) % L] & 15;
  A[gl] = 1;
  __syncthreads();
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000063 --blockDim=2 --gridDim=2 --kernel-args=k,3
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_release);
  }
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*(long long*)&A[2 * (0)]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(A[0]).fetch_add(1, cuda::memory_order_relaxed);
  v2 = A[0] & 15;
}

// ---- 4000064 --blockDim=64 --gridDim=1 --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000065 --blockDim=64 --gridDim=1 --kernel-args=k,6
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000066 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device>(A[0]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*(long long*)&A[2 * (0)]).fetch_add(1, cuda::memory_order_relaxed);
  v5 = A[0] & 15;
  if (gl >= n) return;
  v2 = A[gl] & 15;
  B[gl] = 1;
}

// ---- 4000076 --blockDim=4 --gridDim=2 --kernel-args=k,4
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((long long*)S)[tid] = 1;
  __syncthreads();
  v5 = ((char*)S)[tid] & 15;
  if (n == 3) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  v3 = S[0] & 15;
}

// ---- 4000080 --blockDim=2 --gridDim=2 --kernel-args=k,2
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl >= n) return;
  v1 = A[gl] & 15;
  __syncthreads();
  B[gl] = 1;
}

// ---- 4000082 --blockDim=64 --gridDim=1 --kernel-args=k,6
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  ((short*)S)[2 * (tid)] = 1;
  v5 = ((long long*)S)[tid] & 15;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  __syncthreads();
}

// ---- 4000086 --blockDim=* --gridDim=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000087 --blockDim=64 --gridDim=1 --kernel-args=k,5
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = tid;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  v1 = __shfl_xor_sync(0xffffffffu, v1, 16);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v1;
  }
  B[gl + 64] = v0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
}

// ---- 4000092 --blockDim=2 --gridDim=3 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[0] & 15;
  if ((v0 & 1) == 0) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  v3 = A[gl] & 15;
  ((int4*)B)[gl] = make_int4(1, 1, 1, 1);
  ((struct P*)B)[3].x = 1;
  B[gl] = 1;
}

// ---- 4000095 --blockDim=2 --gridDim=2 --kernel-args=k,2
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = gl * n; i0 < n * L * G; i0 += L * G * n) {
    v2 = A[i0] & 15;
    B[i0] = v2;
  }
}

// ---- 4000096 --blockDim=64 --gridDim=1 --kernel-args=k,4 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 32;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  ((int2*)S)[tid] = make_int2(1, 1);
  ((struct P*)S)[tid].x = 1;
}

// ---- 4000097 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    while (atomicCAS(&F[0], 0, 1) != 0) {}
    __threadfence();
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    __threadfence();
    atomicExch((int*)&F[0], (int)(0));
  }
  if (gid == 0) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  else {
    __syncthreads();
    v0 = S[tid] & 15;
  }
  S[tid] = 1;
}

// ---- 4000098 --blockDim=3 --gridDim=2 --kernel-args=k,1
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid <= 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 2) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[L - 1 - tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + L - 1 - tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
}

// ---- 4000099 --blockDim=2 --gridDim=2 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  atomicAdd((unsigned long long*)&F[2 * (0)], (unsigned long long)(1));
  atomicAdd((int*)&F[tid], (int)(1));
  __syncthreads();
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  __threadfence();
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000103 --blockDim=64 --gridDim=1 --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 7;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  __syncwarp();
  S[(tid ^ 2)] = v0;
  v5 = __shfl_xor_sync(0xffffffffu, v5, 16);
  if ((tid & 31) == 0) {
    B[gid] = v5;
  }
  B[gl + 64] = v0;
}

// ---- 4000109 --blockDim=64 --gridDim=1 --kernel-args=k,3
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  v0 = S[tid] & 15;
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).exchange(0, cuda::memory_order_relaxed);
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000110 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    F[0] = 0;
  }
  __syncthreads();
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  B[v0] = 1;
}

// ---- 4000113 --blockDim=64 --gridDim=1 --kernel-args=k,4
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  __threadfence();
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  v4 = A[gl] & 15;
  B[gl] = 1;
}

// ---- 4000114 --blockDim=2 --gridDim=3 --kernel-args=k,2
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  ((int4*)B)[gl] = make_int4(1, 1, 1, 1);
  ((struct P*)B)[gl].x = 1;
}

// ---- 4000120 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = A[gl] & 15;
  __syncthreads();
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 16);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
}

// ---- 4000121 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
  atomicAdd((unsigned long long*)&A[2 * (0)], (unsigned long long)(1));
  atomicAdd((int*)&A[0], (int)(1));
  v5 = A[0] & 15;
}

// ---- 4000128 --blockDim=64 --gridDim=1 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  for (int i0 = 0; i0 < gid + 1; i0 += 1) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
    __syncthreads();
    if (n > 2) {
      v0 = A[gl] & 15;
      __syncthreads();
    }
  }
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000129 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl + L * G] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  while (atomicCAS(&F[0], 0, 1) != 0) {}
  __threadfence();
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  __threadfence();
  atomicExch((int*)&F[0], (int)(0));
}

// ---- 4000131 --blockDim=64 --gridDim=1 --kernel-args=k,5
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  __syncthreads();
  if (tid == 0) {
    v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[2]).fetch_add(1, cuda::memory_order_acq_rel) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  v1 = __shfl_xor_sync(0xffffffffu, v1, 2);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v1;
  }
  B[gl + 64] = v0;
}

// ---- 4000132 --blockDim=2 --gridDim=2 --kernel-args=k,4
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  if (gl == 0) {
    A[0] = 7;
    __threadfence();
    *(volatile int*)&F[1] = 1;
  }
  if (gl == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = *(volatile int*)&F[1] & 15;
    }
    __threadfence();
    v1 = A[0] & 15;
    B[gl] = v1;
  }
}

// ---- 4000133 --blockDim=4 --gridDim=1 --kernel-args=k,2 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  __syncthreads();
  S[tid] = 1;
  for (int i0 = gl; i0 < n * L * G; i0 += L * G) {
    v2 = A[i0] & 15;
    B[i0 ^ 1] = v2;
  }
}

// ---- 4000134 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_release);
  }
}

// ---- 4000139 --blockDim=* --gridDim=* --kernel-args=k,* --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  __syncthreads();
  A[0] = 1;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
}

// ---- 4000142 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((char*)A)[gl] = gl;
  v0 = ((long long*)A)[gl] & 15;
}

// ---- 4000143 --blockDim=4 --gridDim=2 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < n; i0 += 1) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
    __syncthreads();
  }
}

// ---- 4000145 --blockDim=2 --gridDim=2 --kernel-args=k,2
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*(long long*)&F[2 * (0)]).fetch_add(1, cuda::memory_order_relaxed);
}

// ---- 4000147 --blockDim=2 --gridDim=3 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int4*)B)[gl] = make_int4(1, 1, 1, 1);
  ((struct P*)B)[gl].y = 1;
  A[gl] = 1;
}

// ---- 4000148 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (atomicCAS(&F[0], 0, 1) != 0) {}
    __threadfence();
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    __threadfence();
    atomicExch((int*)&F[0], (int)(0));
  }
}

// ---- 4000150 --blockDim=* --gridDim=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[(tid + 1) % L] & 15;
  B[gl] = v0;
}

// ---- 4000152 --blockDim=4 --gridDim=1 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000153 --blockDim=2 --gridDim=2 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  atomicAdd((unsigned long long*)&F[2 * (0)], (unsigned long long)(1));
  if (n > 2) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  B[gl] = 1;
}

// ---- 4000155 --blockDim=[2,2] --gridDim=[1,1] --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = 4, W = 2, y = threadIdx.y, x = gid * 2 + threadIdx.x, tid = y * 2 + threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < 3) {
    v0 = A[y * W + x] & 15;
    B[y * W + x] = v0 + 1;
  }
  if (tid == 0) {
    F[0] = 0;
  }
  __syncthreads();
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  B[v0] = 1;
  ((char*)A)[gl] = 1;
  A[gl] = 1;
}

// ---- 4000159 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  if (gl >= n) return;
  A[gl] = 1;
  __syncthreads();
  B[gl] = 1;
}

// ---- 4000161 --blockDim=2 --gridDim=2 --kernel-args=k,5
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_release);
  }
}

// ---- 4000166 --blockDim=4 --gridDim=1 --kernel-args=k,6
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  if (gl >= n) return;
  v1 = B[gl] & 15;
  B[gl] = 1;
}

// ---- 4000167 --blockDim=2 --gridDim=2 --kernel-args=k,2 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)S)[tid] = make_int2(tid, tid);
  ((struct P*)S)[tid].x = tid;
  ((char*)S)[tid] = 1;
  v2 = ((long long*)S)[tid] & 15;
  __pipeline_memcpy_async(&S[tid], &A[0], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[0], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
}

// ---- 4000169 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000170 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)S)[tid] = make_int2(1, 1);
  ((struct P*)S)[tid].x = 1;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000171 --blockDim=64 --gridDim=1 --kernel-args=k,4
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 1);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  __threadfence();
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  atomicAdd((int*)&A[0], (int)(1));
  atomicAdd((unsigned long long*)&A[2 * (L + gl)], (unsigned long long)(1));
  v3 = A[0] & 15;
}

// ---- 4000173 --blockDim=64 --gridDim=1 --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  __syncwarp();
  S[(tid ^ 2)] = v0;
  B[gl + 64] = v0;
}

// ---- 4000174 --blockDim=3 --gridDim=2 --kernel-args=k,4
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  A[gl] = 1;
  __syncthreads();
  v0 = A[tid + L * gid] & 15;
  B[gl] = v0;
}

// ---- 4000177 --blockDim=64 --gridDim=1 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000181 --blockDim=4 --gridDim=2 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000184 --blockDim=4 --gridDim=1 --kernel-args=k,5
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  B[v0] = 1;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
}

// ---- 4000188 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid] & 15;
    B[gl] = v0;
  }
  for (int i0 = 0; i0 < 2; i0 += 1) {
    if (tid == 0) {
      atomicExch((int*)&F[0], (int)(0));
    }
    __syncthreads();
    v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
    B[v0] = 1;
  }
  for (int i1 = 0; i1 < 2; i1 += 1) {
    B[gl] = 1;
    __syncthreads();
    v1 = B[gl] & 15;
  }
}

// ---- 4000189 --blockDim=64 --gridDim=1 --kernel-args=k,4 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid] & 15;
    B[gl] = v0;
  }
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  __syncwarp();
  S[(tid ^ 2)] = v0;
  B[gl + 64] = v0;
  __pipeline_memcpy_async(&S[tid], &A[tid], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[tid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  __syncthreads();
}

// ---- 4000190 --blockDim=3 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  __syncthreads();
  v0 = A[gl] & 15;
  B[gl] = v0;
}

// ---- 4000192 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((char*)B)[gl] = 1;
  B[gl] = 1;
  ((int4*)A)[0] = make_int4(1, 1, 1, 1);
  ((struct P*)A)[gl].y = 1;
  for (int i0 = tid; i0 < 12; i0 += L) {
    v2 = A[i0] & 15;
    B[i0] = v2;
  }
}

// ---- 4000196 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    F[0] = 0;
  }
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000200 --blockDim=2 --gridDim=2 --kernel-args=k,6 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  for (int i0 = gl * n; i0 < n * L * G; i0 += L * G * n) {
    v2 = A[i0] & 15;
    B[i0] = v2;
  }
}

// ---- 4000215 --blockDim=2 --gridDim=2 --kernel-args=k,4 --no-benign-tolerance
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*(long long*)&F[2 * (0)]).fetch_add(1, cuda::memory_order_relaxed);
  v4 = F[0] & 15;
  if (gl == 0) {
    A[0] = 7;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[1]).store(1, cuda::memory_order_release);
  }
  if (gl == 1) {
    v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[1]).load(cuda::memory_order_acquire) & 15;
    if (v0 == 1) {
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000257 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 32;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000266 --blockDim=4 --gridDim=1 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  if (tid == 0) {
    F[gid] = 0;
  }
  v0 = (int)atomicAdd((int*)&F[gid], (int)(1)) & 15;
  B[v0] = 1;
}

// ---- 4000268 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_release);
}

// ---- 4000271 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int4*)A)[gl] = make_int4(1, 1, 1, 1);
  ((struct P*)A)[gl].x = 1;
}

// ---- 4000274 --blockDim=[2,2] --gridDim=[3,1] --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = 4, W = 6, y = threadIdx.y, x = gid * 2 + threadIdx.x, tid = y * 2 + threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < 2) {
    v0 = A[y * 2 + x] & 15;
    B[y * 2 + x] = v0 + 1;
  }
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000284 --blockDim=* --gridDim=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid < n) {
    S[tid ^ 1] = v4 + 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  S[tid] = 1;
}

// ---- 4000285 --blockDim=4 --gridDim=1 --kernel-args=k,4
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_release);
}

// ---- 4000287 --blockDim=2 --gridDim=2 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  for (int i0 = 0; i0 < 2; i0 += 1) {
    v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
    B[v0] = 1;
    __syncthreads();
    if (tid == 0) {
      F[0] = 0;
    }
  }
}

// ---- 4000294 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = gl;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000375 --blockDim=2 --gridDim=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  __threadfence();
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000380 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    __threadfence();
    *(volatile int*)&F[1] = 1;
  }
  if (gl == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomicAdd(&F[1], 0) & 15;
    }
    __threadfence();
    v1 = A[0] & 15;
    B[gl] = v1;
  }
  v4 = B[gl] & 15;
  if (tid == 0) {
    F[gid] = 0;
  }
  __syncthreads();
  v0 = (int)atomicAdd((int*)&F[gid], (int)(1)) & 15;
  B[v0] = 1;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000387 --blockDim=[2,2] --gridDim=[3,1] --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = 4, W = 6, y = threadIdx.y, x = gid * 2 + threadIdx.x, tid = y * 2 + threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < 3) {
    v0 = A[y * (n + 2) + x] & 15;
    B[y * (n + 2) + x] = v0 + 1;
  }
}

// ---- 4000391 --blockDim=64 --gridDim=1 --kernel-args=k,5
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  B[gl + 64] = v0;
  ((int2*)A)[gl] = make_int2(1, 1);
  __syncthreads();
  ((struct P*)A)[gl].x = 1;
}

// ---- 4000393 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl] = v0;
  A[gl] = 1;
  __threadfence();
  __syncthreads();
  if (tid == 0) {
    v0 = (int)atomicAdd((int*)&F[2], (int)(1)) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  __threadfence();
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  if (n > 2) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  S[tid] = 1;
}

// ---- 4000394 --blockDim=4 --gridDim=1 --kernel-args=k,2
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)A)[gl] = make_int2(1, 1);
  ((struct P*)A)[0].x = 1;
  v0 = A[gl + n] & 15;
  if (gl == 0) {
    A[0] = 7;
    __threadfence();
    *(volatile int*)&F[1] = 1;
  }
  if (gl == 1) {
    v0 = atomicAdd(&F[1], 0) & 15;
    if (v0 == 1) {
      __threadfence();
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000402 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (n > 2) {
    S[tid] = 1;
    __syncthreads();
    v1 = S[tid + n] & 15;
  }
  else {
    __syncthreads();
    A[gl] = 1;
  }
  __syncthreads();
  S[tid] = 1;
}

// ---- 4000411 --blockDim=64 --gridDim=1 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 32;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000412 --blockDim=4 --gridDim=1 --kernel-args=k,3
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  __syncthreads();
  cuda::atomic_ref<long long, cuda::thread_scope_device>(*(long long*)&F[2 * (0)]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed);
  S[tid] = 1;
  if (tid == 0) {
    v3 = A[gl] & 15;
  }
  S[tid] = 1;
}

// ---- 4000413 --blockDim=2 --gridDim=2 --kernel-args=k,4
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).exchange(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000415 --blockDim=2 --gridDim=2 --kernel-args=k,1
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed)) break; }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_relaxed);
  }
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000421 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v4 = __shfl_xor_sync(0xffffffffu, v4, 1);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v4;
  }
  B[gl + 64] = v0;
}

// ---- 4000422 --blockDim=3 --gridDim=2 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  __syncthreads();
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  __syncthreads();
  if (tid < 2) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  for (int i0 = 0; i0 < gid + 1; i0 += 1) {
    B[gl] = 1;
    __syncthreads();
    v1 = B[gl] & 15;
    __syncthreads();
    if (n > 2) {
      v5 = S[tid] & 15;
      __syncthreads();
    }
  }
}

// ---- 4000428 --blockDim=3 --gridDim=2 --kernel-args=k,5
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = S[tid] & 15;
  __syncthreads();
  __pipeline_memcpy_async(&S[tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[gl], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000434 --blockDim=[2,2] --gridDim=[1,1] --kernel-args=k,2 --no-benign-tolerance
#include <cuda_pipeline.h>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = 4, W = 2, y = threadIdx.y, x = gid * 2 + threadIdx.x, tid = y * 2 + threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < 3) {
    v0 = A[y * (W + 1) + x] & 15;
    B[y * (W + 1) + x] = v0 + 1;
  }
  ((short*)A)[2 * (gl)] = 1;
  __syncthreads();
  v1 = ((short*)A)[gl] & 15;
  __pipeline_memcpy_async(&S[tid], &A[0], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&S[128 + tid], &A[0], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  v0 = S[tid] & 15;
  __pipeline_wait_prior(0);
  __syncthreads();
  v1 = S[128 + tid] & 15;
  B[gl] = v1;
  B[gl + 64] = v0;
}

// ---- 4000440 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  B[gl + 64] = v0;
  ((int4*)B)[gl] = make_int4(1, 1, 1, 1);
  __syncthreads();
  ((struct P*)B)[0].x = 1;
  ((char*)A)[4 * (gl) + 0] = 1;
  v0 = ((short*)A)[gl] & 15;
}

// ---- 4000442 --blockDim=2 --gridDim=2 --kernel-args=k,3 --no-benign-tolerance
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).compare_exchange_strong(e, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed)) break; }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).store(0, cuda::memory_order_relaxed);
  }
  for (int i0 = 0; i0 < 3; i0 += 1) {
    S[tid] = 1;
    v1 = S[tid] & 15;
  }
}

// ---- 4000443 --blockDim=* --gridDim=* --kernel-args=k,*
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 3;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl >= n) return;
  A[gl] = 1;
  B[gl] = 1;
}

// ---- 4000450 --blockDim=4 --gridDim=2 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    S[2 * tid] = 1;
    __syncthreads();
    v1 = S[tid] & 15;
  }
  __syncthreads();
  v0 = A[gl] & 15;
}

// ---- 4000457 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).exchange(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000458 --blockDim=* --gridDim=* --kernel-args=k,*
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  __syncthreads();
  if (tid == 0) {
    v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[2]).fetch_add(1, cuda::memory_order_acq_rel) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000461 --blockDim=2 --gridDim=2 --kernel-args=k,1 --no-benign-tolerance
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    F[0] = 0;
  }
  __syncthreads();
  v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[0]).fetch_add(1, cuda::memory_order_relaxed) & 15;
  B[v0] = 1;
}

// ---- 4000466 --blockDim=* --gridDim=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = n;
  __syncthreads();
  v0 = S[tid] & 15;
  __syncthreads();
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000467 --blockDim=64 --gridDim=1 --kernel-args=k,6
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid < 32) {
    S[tid] = 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v0 = S[tid - 32] & 15;
    B[gl] = v0;
  }
}

// ---- 4000476 --blockDim=64 --gridDim=1 --kernel-args=k,3
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v5 = A[gl] & 15;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  __syncwarp();
  S[(tid ^ 2)] = v0;
  v5 = __shfl_xor_sync(0xffffffffu, v5, 1);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v5;
  }
  B[gl + 64] = v0;
}

// ---- 4000483 --blockDim=64 --gridDim=1 --kernel-args=k,4
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 1;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  __syncwarp();
  v0 = S[(tid ^ 1)] & 15;
  __syncwarp();
  S[(tid ^ 2)] = v0;
  v2 = __shfl_xor_sync(0xffffffffu, v2, 2);
  if ((tid & 31) == 0) {
    B[(tid >> 5)] = v2;
  }
  B[gl + 64] = v0;
  A[gl] = 1;
  __syncthreads();
  if (tid == 0) {
    v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[2]).fetch_add(1, cuda::memory_order_acq_rel) & 15;
    S[200] = v0;
  }
  __syncthreads();
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[L * G - 1 - tid] & 15;
    B[tid] = v1;
  }
}

// ---- 4000488 --blockDim=2 --gridDim=2 --kernel-args=k,4
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    A[0] = 7;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[1]).store(1, cuda::memory_order_release);
  }
  if (tid == 1) {
    v0 = cuda::atomic_ref<int, cuda::thread_scope_device>(F[1]).load(cuda::memory_order_acquire) & 15;
    if (v0 == 1) {
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000489 --blockDim=2 --gridDim=2 --kernel-args=k,1
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((int2*)A)[gl] = make_int2(1, 1);
  ((struct P*)A)[gl].x = 1;
}

// ---- 4000490 --blockDim=2 --gridDim=2 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  atomicAdd((unsigned long long*)&F[2 * (0)], (unsigned long long)(1));
  v0 = (int)atomicAdd((int*)&F[0], (int)(1)) & 15;
  v2 = F[0] & 15;
  for (int i0 = 0; i0 < 2; i0 += 1) {
    B[gl] = 1;
    __syncthreads();
    v1 = B[gl] & 15;
    __syncthreads();
  }
  S[tid] = 1;
  __syncthreads();
  v0 = S[tid] & 15;
  B[gl] = v0;
  A[gl] = 1;
  S[tid] = gl;
  __syncthreads();
}

// ---- 4000491 --blockDim=2 --gridDim=2 --kernel-args=k,4
#include <cuda/atomic>
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (cuda::atomic_ref<int, cuda::thread_scope_device>(F[tid]).compare_exchange_strong(e, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(F[tid]).store(0, cuda::memory_order_release);
  }
}

// ---- 4000493 --blockDim=4 --gridDim=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__global__ void k(int *A, int *B, int *F, int n) {
  __shared__ int S[256];
  int gid = blockIdx.x, G = 2;
  int L = blockDim.x, tid = threadIdx.x;
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid < n) {
    S[tid] = tid;
    __syncthreads();
    v1 = S[tid + n] & 15;
  }
  __syncthreads();
  S[tid] = 1;
}
