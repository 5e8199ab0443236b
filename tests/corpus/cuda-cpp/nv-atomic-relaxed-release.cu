// A message through the atomic functions that nvcc has built in. Weakened: the release is relaxed.
// @Config: 1, 1, 2
// @Output: forall (seen[0] == 0 || got[0] == 1)
__global__ void message(int* data, int* flag, int* seen, int* got) {
  if (blockIdx.x == 0) {
    *data = 1;
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } else {
    seen[0] = __nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    if (seen[0] == 1) got[0] = *data;
  }
}
