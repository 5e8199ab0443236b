// One attempt at a lock of the built-in compare-exchange, which writes what it found where it fails; fences order the rest.
// @Config: 1, 1, 2
// @Output: forall (took[0] == 0 && took[1] == 0 && x[0] > 0)
__global__ void lock(int* mutex, int* x, int* took) {
  int expected = 0;
  if (__nv_atomic_compare_exchange_n(mutex, &expected, 1, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    x[0] = x[0] + 1;
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    int old, zero = 0;
    __nv_atomic_exchange(mutex, &zero, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } else {
    took[blockIdx.x] = expected - 1;
  }
}
