// ---- 4000003 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_release, memory_scope_device);
}

// ---- 4000006 --local_size=2 --num_groups=3 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = gid; i0 < 10; i0 += G) {
    v2 = A[i0] & 15;
    B[i0 + 1] = v2;
  }
  A[gl] = 1;
}

// ---- 4000009 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = gl;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__local int*)S + gid * 8, (__global const int*)A + 8, 4, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  v0 = A[2 * gl] & 15;
  if (gl == 0) {
    v3 = S[tid + n] & 15;
  }
}

// ---- 4000012 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + gid * 8, (__global const int*)A + 8, 4, 0);
  v0 = S[L - 1 - tid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
  v0 = A[gl + n] & 15;
  S[tid] = v0;
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000014 --local_size=4 --num_groups=1 --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&F[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = F[gl] & 15;
}

// ---- 4000018 --local_size=3 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 0, 8, 0);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
}

// ---- 4000019 --local_size=2 --num_groups=2 --kernel-args=k,6
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gid == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    if (v0 == 1) {
      v1 = A[n] & 15;
      B[gl] = v1;
    }
  }
  ((__global int2*)B)[gl] = (int2)(7);
  ((__global struct P*)B)[gid].x = 7;
  S[(tid + 1) % L] = v4;
  if (gid == 0) {
    S[tid ^ 1] = v4;
    barrier(CLK_LOCAL_MEM_FENCE);
    v1 = S[2 * tid] & 15;
  }
  else {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    A[gid * L + (tid + 1) % L] = v5;
  }
  v2 = B[2 * gl + 1] & 15;
}

// ---- 4000020 --local_size=2 --num_groups=2 --kernel-args=k,2
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v4 = S[tid ^ 1] & 15;
  for (int i0 = 0; i0 < 2; i0 += 1) {
    if (tid == 0) {
      F[gid] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[gid], 1, memory_order_relaxed, memory_scope_device) & 15;
    B[v0] = v2;
  }
  A[gl] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000022 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  for (int i0 = gl; i0 < 10; i0 += L * G) {
    v2 = A[i0] & 15;
    A[i0] = v2;
  }
  A[gl] = n;
  if (tid < L) {
    S[(tid + 1) % L] = v0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[2 * tid] & 15;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  S[tid + L] = 7;
  B[gl + n] = gid;
  if (tid % 2 == 0) {
    v0 = A[2 * gl] & 15;
  }
  event_t e1 = async_work_group_copy((__global int*)A + 0, (__local const int*)S + 0, n, 0);
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
}

// ---- 4000026 --local_size=2 --num_groups=2 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)B + 0, L, 0);
  v0 = A[gl] & 15;
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  ((__global int2*)A)[gl + L * G] = (int2)(1);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  ((__global struct P*)A)[2 * gl].x = 1;
}

// ---- 4000027 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__local long*)S)[(tid + 1) % L] = v1 + 1;
  v3 = ((__local short*)S)[(v5 & 7)] & 15;
  if (y < n && x < 2) {
    v0 = A[y * 2 + x] & 15;
    B[y * 2 + x] = y;
  }
  v2 = S[(tid + 1) % L] & 15;
  if (tid != 0) {
    v3 = S[2 * tid] & 15;
  }
  event_t e1 = async_work_group_copy((__global int*)A + gid * 8, (__local const int*)S + gid * 8, n, 0);
  v4 = S[tid ^ 1] & 15;
  wait_group_events(1, &e1);
  v0 = A[gid * L + (tid + 1) % L] & 15;
  B[gl + 64] = v0;
  v4 = A[2 * gl + 1] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000035 --local_size=4 --num_groups=1 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gl == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    }
    v1 = A[0] & 15;
    B[gl] = v1;
  }
}

// ---- 4000037 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gid * L + (tid + 1) % L] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_release, memory_scope_device);
  S[(tid + 1) % L] = n;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000038 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__local char*)S)[4 * (tid) + 1] = 1;
  v2 = ((__local long*)S)[0] & 15;
}

// ---- 4000047 --local_size=2 --num_groups=2 --kernel-args=k,2
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    atomic_exchange_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gl == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    if (v0 == 1) {
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000048 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gid * L + (tid + 1) % L] = v1 + 1;
  ((__global int2*)B)[2 * gl] = (int2)(v4);
  ((__global struct P*)B)[tid + L * gid].x = v4;
  B[gl ^ 1] = n;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (n > 2) {
    S[tid] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v1 = S[L - 1 - tid] & 15;
  }
  v4 = S[tid] & 15;
  S[L - 1 - tid] = gid;
  event_t e1 = async_work_group_copy((__local int*)S + 8, (__global const int*)A + 0, 4, 0);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
  A[gl + L * G] = v0 + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  S[n] = v3 + 1;
}

// ---- 4000056 --local_size=4 --num_groups=1 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v5 = B[gl] & 15;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gl == 0) {
    atomic_exchange_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_relaxed, memory_scope_device);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[gid * 16 + v0] = n;
  A[gl ^ 1] = 7;
  if (n == 2) return;
  A[gid * L + L - 1 - tid] = 7;
  B[gl ^ 1] = 7;
  v5 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  S[2 * tid] = 1;
}

// ---- 4000057 --local_size=2 --num_groups=2 --kernel-args=k,6
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[(tid + 1) % L] = n;
  barrier(CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid + L] & 15;
  B[gl] = v0;
  S[(tid + 1) % L] = 7;
  event_t e1 = async_work_group_copy((__global int*)A + gid * L, (__local const int*)S + 8, n, 0);
  A[gl] = 7;
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
  if (tid == 0) {
    while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
    v0 = A[n] & 15;
    A[n] = v0 + 1;
    atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_release, memory_scope_device);
  }
}

// ---- 4000071 --local_size=4 --num_groups=1 --kernel-args=k,6
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_acq_rel, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  event_t e1 = async_work_group_copy((__local int*)S + gid * 8, (__global const int*)A + 8, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  S[tid] = gid;
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000072 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid + L] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&F[2 * (L + gl)], 1, memory_order_relaxed, memory_scope_device);
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2 * gl + 1], 1, memory_order_relaxed, memory_scope_device) & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  B[gl] = 7;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)B + 8, L, 0);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  S[tid] = v2 + 1;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[v0] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (gl == 0) {
    F[0] = 0;
  }
}

// ---- 4000074 --local_size=2 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < n; i0 += 2) {
    S[tid] = 7;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[(tid + 1) % L] & 15;
  }
}

// ---- 4000075 --local_size=[2,2] --num_groups=[1,1] --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = 4, W = 2, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < W) {
    v0 = A[y * W + x] & 15;
    B[y * W + x] = v0 + 1;
  }
}

// ---- 4000077 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  B[0] = 7;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  v4 = A[gl] & 15;
  barrier(CLK_GLOBAL_MEM_FENCE);
  v1 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000078 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) break; }
  v0 = A[0] & 15;
  A[0] = v0 + 1;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_relaxed, memory_scope_device);
}

// ---- 4000084 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < (n + 2)) {
    v0 = A[y * (n + 2) + x] & 15;
    B[y * (n + 2) + x] = v0 + 1;
  }
}

// ---- 4000090 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < n; i0 += 1) {
    B[gl] = n;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v1 = B[tid + L * gid] & 15;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  v0 = S[2 * tid] & 15;
  if (gl == 0) {
    v3 = B[gl] & 15;
  }
}

// ---- 4000116 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < 2 && y < 3) {
    v0 = A[y * 2 + x] & 15;
    B[y * 2 + x] = y;
  }
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 8, 8, 0);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
}

// ---- 4000119 --local_size=[2,2] --num_groups=[1,1] --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = 4, W = 2, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = v3;
  if (gl >= n) return;
  B[2 * gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  B[n * gl] = v1 + 1;
  for (int i0 = gl * n; i0 < n * L * G; i0 += L * G * n) {
    v2 = A[i0] & 15;
    B[i0] = v2;
  }
  if (x < (n + 2) && y < 3) {
    v0 = A[(y * (n + 2) + x) * 2] & 15;
    B[(y * (n + 2) + x) * 2] = v0 + 1;
  }
  v2 = S[(v5 & 7)] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  A[gl] = 1;
  if (tid == 0) {
    S[0] = 1;
  }
}

// ---- 4000123 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = v3 + 1;
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_acq_rel, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[L * G - 1 - tid] & 15;
    B[tid] = v1;
  }
  if (gl == 0) {
    F[2] = 0;
  }
  if (gid == 0) {
    A[0] = 7;
    atomic_exchange_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gid == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    }
    v1 = A[0] & 15;
    B[gl] = v1;
  }
}

// ---- 4000140 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global short*)B)[2 * (2 * gl)] = v4 + 1;
  v2 = B[gl + L * G] & 15;
}

// ---- 4000141 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v5 = A[gl] & 15;
  for (int i0 = 0; i0 < 2; i0 += 1) {
    if (tid == 0) {
      atomic_exchange_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_relaxed, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
    B[v0] = 7;
  }
  A[gid] = n;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  if (gl == 0) {
    F[2] = 0;
  }
  v1 = S[tid ^ 1] & 15;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000144 --local_size=2 --num_groups=3 --kernel-args=k,4 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = gid;
  if (tid < n) {
    v1 = A[gl + n] & 15;
  }
  if (n == 3) {
    S[tid + L] = gid;
    barrier(CLK_LOCAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  else {
    barrier(CLK_GLOBAL_MEM_FENCE);
    v5 = A[n * gl] & 15;
  }
  B[gl] = v0 + 1;
  event_t e1 = async_work_group_copy((__local int*)S + 8, (__global const int*)A + gid * 8, n, 0);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
}

// ---- 4000146 --local_size=4 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global long*)B)[gl + L * G] = 1;
  B[gl] = 1;
  v3 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000149 --local_size=4 --num_groups=1 --kernel-args=k,4 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)A + gid * L, (__local const int*)S + gid * 8, L, 0);
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
  if (gid > 0) return;
  v2 = A[gid * L + L - 1 - tid] & 15;
  B[gid * L + L - 1 - tid] = gl;
}

// ---- 4000151 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__local char*)S)[tid] = 1;
  v2 = ((__local short*)S)[L - 1 - tid] & 15;
}

// ---- 4000154 --local_size=3 --num_groups=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  v0 = S[(tid + 1) % L] & 15;
  B[gl] = v0;
  v4 = B[2 * gl] & 15;
  if (tid < L - 1) {
    S[L - 1 - tid] = v5;
  }
  else {
    S[3] = n;
  }
}

// ---- 4000157 --local_size=4 --num_groups=1 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gid] = v5;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_seq_cst, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[L * G - 1 - tid] & 15;
    B[gl] = v1;
  }
  if (gl == 0) {
    F[2] = 0;
  }
}

// ---- 4000168 --local_size=4 --num_groups=1 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + 8, 8, 0);
  A[2 * gl + 1] = 1;
  wait_group_events(1, &e1);
  v0 = B[gl] & 15;
  B[gl + 64] = v0;
  if (tid == 0) {
    F[0] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[v0] = 1;
  v0 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000172 --local_size=4 --num_groups=2 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global char*)B)[4 * (gl) + 0] = v1;
  v4 = B[gl] & 15;
}

// ---- 4000175 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  atomic_fetch_add_explicit((volatile __global atomic_long*)&A[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&A[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  if (gl == 0) {
    A[0] = 7;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_relaxed, memory_scope_device);
  }
  if (gl == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    if (v0 == 1) {
      atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000176 --local_size=2 --num_groups=2 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&A[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_int*)&A[0], 1, memory_order_relaxed, memory_scope_device);
  if (tid == 0) {
    while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) break; }
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_relaxed, memory_scope_device);
  }
}

// ---- 4000178 --local_size=2 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global short*)A)[2 * (gl)] = tid;
  v4 = ((__global short*)A)[gl] & 15;
}

// ---- 4000182 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < W) {
    v0 = A[y * W + x + 1] & 15;
    B[y * W + x + 1] = y;
  }
  S[tid + L] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = A[2 * gl] & 15;
}

// ---- 4000185 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000187 --local_size=[2,2] --num_groups=[2,1] --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = 4, W = 4, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v3 = A[3] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    S[tid] = v0 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  S[0] = 7;
  if (x < n && y < 3) {
    v0 = A[y * n + x] & 15;
    B[y * n + x] = v0 + 1;
  }
}

// ---- 4000193 --local_size=2 --num_groups=2 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[v0] = gl;
  A[gl] = v0 + 1;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000194 --local_size=2 --num_groups=2 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (n > 2) {
    S[tid ^ 1] = tid;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid + n] & 15;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  B[gl] = 1;
}

// ---- 4000198 --local_size=4 --num_groups=1 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[v0] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    F[0] = 0;
  }
  S[(tid + 1) % L] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + gid * 8, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = B[gl] & 15;
  B[gl + 64] = v0;
}

// ---- 4000199 --local_size=2 --num_groups=2 --kernel-args=k,1 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = gl; i0 < n * L * G; i0 += G) {
    v2 = A[i0] & 15;
    B[i0] = v2;
  }
  v5 = A[gl + L * G] & 15;
  if (n > 2) {
    v0 = S[tid] & 15;
  }
  else {
    v2 = S[tid] & 15;
  }
  B[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// ---- 4000201 --local_size=4 --num_groups=2 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl > 3) return;
  v4 = S[(tid + 1) % L] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  B[tid + L * gid] = n;
  S[tid + L] = tid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid + L] & 15;
  B[gl] = v0;
}

// ---- 4000202 --local_size=2 --num_groups=2 --kernel-args=k,2
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&F[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  v4 = F[gl] & 15;
}

// ---- 4000206 --local_size=4 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid + L] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + gid * 8, n, 0);
  wait_group_events(1, &e1);
  v0 = B[gl ^ 1] & 15;
  B[gl + 64] = v0;
  S[tid ^ 1] = 7;
  v5 = A[gid * L + L - 1 - tid] & 15;
}

// ---- 4000207 --local_size=[2,2] --num_groups=[2,1] --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = 4, W = 4, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[y * 4 + x] & 15;
  B[y * 4 + x] = x;
  if (n == 2) return;
  B[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  B[gl] = v0;
}

// ---- 4000213 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < 2) {
    v0 = A[y * 2 + x] & 15;
    A[y * 2 + x] = v0 + 1;
  }
  B[gl] = 7;
}

// ---- 4000219 --local_size=2 --num_groups=3 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000258 --local_size=2 --num_groups=3 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = v4 + 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__global int*)A + gid * 8, (__local const int*)S + 0, 8, 0);
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
  S[tid] = 1;
}

// ---- 4000265 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 7;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_seq_cst, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[gl] = v1;
  }
}

// ---- 4000273 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gid == 0) {
    while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_release, memory_scope_device);
  }
  for (int i0 = 0; i0 < n; i0 += 1) {
    S[tid] = gid;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[2 * tid] & 15;
    if (n > 2) {
      v4 = S[(tid + 1) % L] & 15;
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
  }
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + gid * 8, 4, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = B[gl + n] & 15;
  B[gl + 64] = v0;
}

// ---- 4000275 --local_size=2 --num_groups=2 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = gl;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[tid] & 15;
    B[tid] = v1;
  }
  v2 = S[tid + n] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000278 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v5 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 2) {
    v2 = S[tid + 2] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000288 --local_size=3 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 0, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  S[tid ^ 1] = tid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid + n] & 15;
  B[gl] = v0;
}

// ---- 4000290 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = v0 + 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = A[gl] & 15;
  B[gl] = v0;
  B[gl] = tid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000296 --local_size=3 --num_groups=2 --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = n;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid + n] & 15;
  B[gl] = v0;
  ((__local short*)S)[2 * (tid)] = tid;
  v2 = ((__local long*)S)[tid] & 15;
}

// ---- 4000300 --local_size=[2,2] --num_groups=[1,1] --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = 4, W = 2, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 0, 8, 0);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  if (y < n && x < (W + 1)) {
    v0 = A[y * (W + 1) + x] & 15;
    A[y * (W + 1) + x] = v0 + 1;
  }
}

// ---- 4000301 --local_size=2 --num_groups=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[2 * tid] = v5 + 1;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid <= 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000303 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (n > 2) {
    S[tid] = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  else {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v0 = S[tid] & 15;
  }
  v5 = A[gl] & 15;
  S[tid] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000376 --local_size=2 --num_groups=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < gid + 1; i0 += 1) {
    B[gl] = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = B[gl] & 15;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// ---- 4000379 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)A + gid * 8, (__local const int*)S + 0, 8, 0);
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
  v2 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (gl == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gl == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    }
    v1 = A[0] & 15;
    B[gl] = v1;
  }
}

// ---- 4000382 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v3 = A[(v1 & 7)] & 15;
  for (int i0 = gid; i0 < 2 * L * G; i0 += G) {
    v2 = A[i0] & 15;
    B[i0 ^ 1] = i0;
  }
}

// ---- 4000388 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[tid + L * gid] = gl;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int i0 = gl; i0 < 2 * L * G; i0 += G) {
    v2 = A[i0] & 15;
    B[i0] = i0;
  }
}

// ---- 4000404 --local_size=4 --num_groups=1 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[gid], &e, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) break; }
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  v0 = A[gid] & 15;
  A[gid] = v0 + 1;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  atomic_store_explicit((volatile __global atomic_int*)&F[gid], 0, memory_order_relaxed, memory_scope_device);
  v2 = A[gid] & 15;
}

// ---- 4000414 --local_size=2 --num_groups=2 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < n; i0 += 1) {
    S[tid] = 7;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid] & 15;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (n > 2) {
      A[gid * L + L - 1 - tid] = gid;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000425 --local_size=2 --num_groups=2 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl + n] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000427 --local_size=[2,2] --num_groups=[2,1] --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = 4, W = 4, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (x < (n + 2) && y < 3) {
    v0 = A[y * (n + 2) + x] & 15;
    A[y * (n + 2) + x] = v0 + 1;
  }
  v5 = B[gl] & 15;
}

// ---- 4000435 --local_size=4 --num_groups=1 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[tid], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    atomic_store_explicit((volatile __global atomic_int*)&F[tid], 0, memory_order_release, memory_scope_device);
  }
  ((__local int4*)S)[tid] = (int4)(1);
  ((__local struct P*)S)[2 * tid].x = 1;
}

// ---- 4000437 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[gid] = gid;
  ((__global int2*)A)[n] = (int2)(tid);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  ((__global struct P*)A)[gl + 1].x = tid;
}

// ---- 4000438 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_acq_rel, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
  if (n > 2) {
    S[tid] = v5 + 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  A[gl] = v1;
}

// ---- 4000441 --local_size=4 --num_groups=1 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  for (int i0 = 0; i0 < gid + 1; i0 += 1) {
    S[tid] = v4 + 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid + n] & 15;
    if (n > 2) {
      B[gl] = v5 + 1;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[(v0 & 3)] = tid;
  S[tid + n] = v3;
  barrier(CLK_GLOBAL_MEM_FENCE);
  B[gid * L + (tid + 1) % L] = tid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000445 --local_size=4 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = B[2 * gl] & 15;
  if (tid == 0) {
    while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[0], &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) break; }
    v0 = A[0] & 15;
    A[0] = v0 + 1;
    atomic_store_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_release, memory_scope_device);
  }
  ((__global char*)B)[gl + n] = 1;
  v5 = ((__global char*)B)[2 * gl] & 15;
  v4 = A[gl + L * G] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  S[tid] = v4 + 1;
}

// ---- 4000446 --local_size=3 --num_groups=2 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global char*)A)[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v4 = ((__global char*)A)[gl] & 15;
  S[tid] = 1;
  v1 = B[gl] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000447 --local_size=[2,2] --num_groups=[1,1] --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = 4, W = 2, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl > 3) return;
  S[tid ^ 1] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  B[2 * gl + 1] = 1;
  if (x < 2 && y < 3) {
    v0 = A[y * 2 + x] & 15;
    B[y * 2 + x] = x;
  }
}

// ---- 4000448 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__local char*)S)[2 * tid] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = ((__local long*)S)[L - 1 - tid] & 15;
  v0 = A[n] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v1 = S[(v2 & 7)] & 15;
}

// ---- 4000449 --local_size=[2,2] --num_groups=[2,1] --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = 4, W = 4, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 8, 8, 0);
  v0 = S[(tid + 1) % L] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
  S[tid] = gl;
  v1 = B[2 * gl + 1] & 15;
  if (gl < n) {
    v0 = A[2 * gl + 1] & 15;
  }
  if (y < n && x < n) {
    v0 = A[y * n + x + 1] & 15;
    B[y * n + x + 1] = v0 + 1;
  }
  A[0] = gid;
  if (gid == 0) {
    B[gl ^ 1] = 7;
  }
  v2 = S[tid] & 15;
}

// ---- 4000451 --local_size=4 --num_groups=2 --kernel-args=k,2
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + 0, 8, 0);
  v3 = A[gl] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = B[gl] & 15;
  B[gl + 64] = v0;
}

// ---- 4000459 --local_size=2 --num_groups=2 --kernel-args=k,6
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[n] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = A[gid * L + (tid + 1) % L] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
  v4 = S[tid] & 15;
  if ((v1 & 1) == 0) {
    A[3] = v0 + 1;
  }
  else {
    S[2 * tid] = n;
  }
  while (1) { int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[tid], &e, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) break; }
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  v0 = A[tid] & 15;
  A[tid] = v0 + 1;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  atomic_store_explicit((volatile __global atomic_int*)&F[tid], 0, memory_order_relaxed, memory_scope_device);
  S[2 * tid] = 1;
  A[gl] = v5;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__local int*)S + 8, (__global const int*)A + 0, 4, 0);
  wait_group_events(1, &e1);
  v0 = S[L - 1 - tid] & 15;
  B[gl + 64] = v0;
}

// ---- 4000460 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global long*)B)[gl] = 1;
  v2 = ((__global long*)B)[gl] & 15;
}

// ---- 4000469 --local_size=4 --num_groups=1 --kernel-args=k,2
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  atomic_fetch_add_explicit((volatile __global atomic_long*)&A[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_int*)&A[1], 1, memory_order_relaxed, memory_scope_device);
}

// ---- 4000477 --local_size=4 --num_groups=2 --kernel-args=k,6 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  atomic_fetch_add_explicit((volatile __global atomic_long*)&A[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_int*)&A[0], 1, memory_order_relaxed, memory_scope_device);
  v3 = A[gl] & 15;
  v0 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + n, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = B[tid + L * gid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
  S[tid] = tid;
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000480 --local_size=* --num_groups=* --kernel-args=k,* --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global long*)B)[gl] = 7;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v2 = ((__global long*)B)[gl] & 15;
}

// ---- 4000482 --local_size=3 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)A + 0, 8, 0);
  wait_group_events(1, &e1);
  v0 = S[tid + L] & 15;
  B[gl + 64] = v0;
  S[tid] = 1;
  if (gl >= n) return;
  S[tid] = n;
  barrier(CLK_GLOBAL_MEM_FENCE);
  B[gl] = 1;
}

// ---- 4000492 --local_size=2 --num_groups=2 --kernel-args=k,6
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)A + gid * 8, (__local const int*)S + 8, 8, 0);
  A[gl] = v1 + 1;
  wait_group_events(1, &e1);
  v0 = A[gl] & 15;
  B[gl + 64] = v0;
  if (gl == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gl > 0) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    if (v0 == 1) {
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000494 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  B[(v4 & 7)] = v4 + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  v0 = A[gl + L * G] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000498 --local_size=2 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = A[gl] & 15;
  S[tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid < 1) {
    v2 = S[tid + 1] & 15;
    v3 = S[tid] & 15;
    S[tid] = v2 + v3;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v4 = S[0] & 15;
    B[gid] = v4;
  }
}

// ---- 4000499 --local_size=2 --num_groups=2 --kernel-args=k,4 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[gid * 16 + v0] = tid;
  B[gl] = 1;
  event_t e1 = async_work_group_copy((__global int*)B + gid * 8, (__local const int*)S + 0, 8, 0);
  v1 = A[gl] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = B[gl] & 15;
  B[gl + 64] = v0;
  S[tid] = 1;
}

// ---- 4000523 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global int4*)B)[gid * L + L - 1 - tid] = (int4)(1);
  ((__global struct P*)B)[n * gl].x = 1;
  ((__local char*)S)[4 * (tid) + 1] = 1;
  v3 = ((__local short*)S)[tid] & 15;
}

// ---- 4000620 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v5 = B[gl] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (n == 3) {
    S[tid] = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  else {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    S[tid] = 1;
  }
  v4 = B[gl] & 15;
  A[gl] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_acq_rel, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000621 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&F[2 * (0)], 1, memory_order_relaxed, memory_scope_device);
  event_t e1 = async_work_group_copy((__local int*)S + 8, (__global const int*)A + 0, 8, 0);
  v0 = S[tid ^ 1] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
  ((__local int4*)S)[0] = (int4)(tid);
  ((__local struct P*)S)[tid].x = tid;
  B[gl + L * G] = 1;
}

// ---- 4000633 --local_size=4 --num_groups=1 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gid] = n;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[tid] & 15;
    B[gl] = v1;
  }
}

// ---- 4000638 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = gl;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  if (v5 == 1) {
    v1 = A[L * G - 1 - tid] & 15;
    B[tid] = v1;
  }
  v2 = B[gl] & 15;
  A[gid * L + (tid + 1) % L] = v0 + 1;
}

// ---- 4000639 --local_size=4 --num_groups=1 --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__local int*)S + gid * 8, (__global const int*)A + n, n, 0);
  S[2 * tid] = gl;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = S[2 * tid] & 15;
  B[gl + 64] = v0;
  A[gid] = gl;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_relaxed, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[tid] & 15;
    B[tid] = v1;
  }
  v3 = S[(tid + 1) % L] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000644 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global int2*)B)[gl] = (int2)(7);
  ((__global struct P*)B)[gl].x = 7;
  v1 = S[tid] & 15;
}

// ---- 4000645 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gid * L + L - 1 - tid] = tid;
  if (gl == 0) {
    A[0] = 7;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_exchange_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_relaxed, memory_scope_device);
  }
  if (gl == L * G - 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    }
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    v1 = A[0] & 15;
    B[gl] = v1;
  }
  v1 = B[(v0 & 7)] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v2 = A[n] & 15;
  if (gid == 0) {
    v2 = S[L - 1 - tid] & 15;
  }
  else {
    S[tid + L] = tid;
  }
}

// ---- 4000646 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    A[0] = 7;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_exchange_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_relaxed, memory_scope_device);
  }
  if (tid == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    if (v0 == 1) {
      atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
}

// ---- 4000648 --local_size=2 --num_groups=2 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[2 * gl] = gl;
  ((__local char*)S)[tid] = gl;
  v3 = ((__local char*)S)[2 * tid] & 15;
}

// ---- 4000649 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  event_t e1 = async_work_group_copy((__global int*)A + gid * 8, (__local const int*)S + gid * 8, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = A[gid * L + (tid + 1) % L] & 15;
  B[gl + 64] = v0;
  v1 = S[(tid + 1) % L] & 15;
  v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[0], 1, memory_order_relaxed, memory_scope_device) & 15;
  B[gid * 16 + v0] = n;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    atomic_exchange_explicit((volatile __global atomic_int*)&F[0], 0, memory_order_relaxed, memory_scope_device);
  }
  S[tid + L] = 7;
  v0 = A[gl + L * G] & 15;
  if (tid == 0) {
    B[gl] = 1;
  }
}

// ---- 4000650 --local_size=2 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (tid == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    if (v0 == 1) {
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
  B[2 * gl] = 1;
}

// ---- 4000652 --local_size=2 --num_groups=2 --kernel-args=k,5 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  atomic_fetch_add_explicit((volatile __global atomic_int*)&A[tid], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit((volatile __global atomic_long*)&A[2 * (tid)], 1, memory_order_relaxed, memory_scope_device);
  A[3] = tid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  S[tid] = v0 + 1;
  event_t e1 = async_work_group_copy((__global int*)B + 0, (__local const int*)S + 8, L, 0);
  v3 = A[gl + 1] & 15;
  wait_group_events(1, &e1);
  v0 = B[gl + L * G] & 15;
  B[gl + 64] = v0;
  S[tid] = 1;
}

// ---- 4000656 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < 4) {
    v0 = A[(y * 4 + x) * 2] & 15;
    B[(y * 4 + x) * 2] = x;
  }
}

// ---- 4000657 --local_size=4 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  v2 = A[gid * L + L - 1 - tid] & 15;
  if (gid == 0) {
    S[tid + L] = v3 + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v1 = S[tid] & 15;
  }
  S[tid] = n;
  event_t e1 = async_work_group_copy((__global int*)A + 0, (__local const int*)S + 8, L, 0);
  A[gl + L * G] = v2 + 1;
  wait_group_events(1, &e1);
  v0 = A[tid + L * gid] & 15;
  B[gl + 64] = v0;
  v3 = A[2 * gl + 1] & 15;
  S[2 * tid] = v0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- 4000675 --local_size=[2,2] --num_groups=[3,1] --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 3;
  int L = 4, W = 6, y = get_local_id(1), x = gid * 2 + get_local_id(0), tid = y * 2 + get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (y < n && x < (W + 1)) {
    v0 = A[y * (W + 1) + x] & 15;
    B[y * (W + 1) + x] = v0 + 1;
  }
}

// ---- 4000680 --local_size=2 --num_groups=2 --kernel-args=k,5
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global char*)A)[gl] = v5;
  v1 = ((__global char*)A)[gl + L * G] & 15;
  S[tid + L] = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  S[tid] = v0;
  B[gl] = v0;
}

// ---- 4000681 --local_size=2 --num_groups=2 --kernel-args=k,4 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_release, memory_scope_device);
  }
  if (gl == 1) {
    v0 = 0;
    while (v0 != 1) {
      v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_acquire, memory_scope_device) & 15;
    }
    v1 = A[0] & 15;
    B[gl] = v1;
  }
  S[L - 1 - tid] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  B[gl] = v5 + 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__local int*)S + 8, (__global const int*)B + 0, 8, 0);
  A[0] = gid;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
  wait_group_events(1, &e1);
}

// ---- 4000693 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[tid] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  v0 = S[tid] & 15;
  B[gl] = v0;
}

// ---- 4000694 --local_size=2 --num_groups=2 --kernel-args=k,4
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_store_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_relaxed, memory_scope_device);
    A[0] = 9;
  }
  if (gl == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    if (v0 == 1) {
      atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
      v1 = A[n] & 15;
      B[gl] = v1;
    }
  }
  if (gl >= n) return;
  v5 = S[tid + n] & 15;
  B[gl] = gl;
}

// ---- 4000696 --local_size=4 --num_groups=1 --kernel-args=k,3 --no-benign-tolerance
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  A[gl] = n;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (tid == 0) {
    v0 = atomic_fetch_add_explicit((volatile __global atomic_int*)&F[2], 1, memory_order_acq_rel, memory_scope_device) & 15;
    S[200] = v0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  v5 = S[200] & 15;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (v5 == G - 1) {
    v1 = A[(gl + 1) % (L * G)] & 15;
    B[tid] = v1;
  }
}

// ---- 4000697 --local_size=2 --num_groups=2 --kernel-args=k,1
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (gl == 0) {
    A[0] = 7;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_exchange_explicit((volatile __global atomic_int*)&F[1], 1, memory_order_relaxed, memory_scope_device);
  }
  if (gl == 1) {
    v0 = atomic_load_explicit((volatile __global atomic_int*)&F[1], memory_order_relaxed, memory_scope_device) & 15;
    if (v0 == 1) {
      atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
      v1 = A[0] & 15;
      B[gl] = v1;
    }
  }
  v0 = S[tid] & 15;
}

// ---- 4000698 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  S[2 * tid] = 1;
  v0 = A[0] & 15;
  if ((v0 & 1) == 0) {
    S[2 * tid] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    v1 = S[2 * tid] & 15;
  }
  v1 = S[0] & 15;
  v4 = A[gid] & 15;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e1 = async_work_group_copy((__local int*)S + 0, (__global const int*)B + 0, 8, 0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  wait_group_events(1, &e1);
  v0 = S[tid] & 15;
  B[gl + 64] = v0;
}

// ---- 4000712 --local_size=4 --num_groups=1 --kernel-args=k,3
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 1;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  if (tid == 0) return;
  A[(v0 & 7)] = v2 + 1;
  B[gl + n] = n;
  v5 = B[gid] & 15;
  if (tid % 2 == 0) {
    A[gl] = gl;
  }
}

// ---- 4000713 --local_size=* --num_groups=* --kernel-args=k,*
struct P { int x, y; };
__kernel void k(__global int *A, __global int *B, __global int *F, int n) {
  __local int S[256];
  int gid = get_group_id(0), G = 2;
  int L = get_local_size(0), tid = get_local_id(0);
  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;
  ((__global int2*)A)[gl] = (int2)(1);
  ((__global struct P*)A)[gl].y = 1;
  v5 = A[gl] & 15;
}
