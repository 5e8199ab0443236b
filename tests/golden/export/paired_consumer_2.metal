// Progress test consumer/2: 2 threads, 32766 instances, 65532 invocations launched.
// Mapping paired: threads 0 and 1 of an instance have neighbouring ids, each further thread has N / T ids of its own.
// Atomics are relaxed; a load is a fetch-and-add of 0; a store is an exchange.
// Every launched invocation adds 1 to the counter when it ends: the counter is N iff all ended.
//
// Build: xcrun metal -std=metal3.0 FILE.metal -o FILE.metallib. Dispatch 65532 threadgroups of 1 in x; buffer 0 holds the locations
// one after the other, filled with their initial values before every run, buffer 1 the counter, 0 before every run.
// A command buffer that ends with an error, or with another count, has not ended.
#include <metal_stdlib>
using namespace metal;

static inline uint exchange(device atomic_uint* word, uint value) {
  return atomic_exchange_explicit(word, value, memory_order_relaxed);
}
static inline uint fetch(device atomic_uint* word) {
  return atomic_fetch_add_explicit(word, 0u, memory_order_relaxed);
}

// consumer/2: 2 threads, 32766 instances
// loc_x: words 0 to 32765 of buffer 0, initially 0
kernel void paired_consumer_2(device atomic_uint* memory [[buffer(0)]], device atomic_uint* counter [[buffer(1)]],
                uint gid [[thread_position_in_grid]]) {
  const bool together = gid < 65532u;
  const uint thread = together ? gid % 2u : gid / 32766u;
  const uint instance = together ? gid / 2u : gid % 32766u;
  const bool takes_part = gid < 65532u;
  if (takes_part) {
    device atomic_uint* loc_x = memory + instance;
    if (thread == 0u) {
      uint pc = 0u;
      while (pc != 3u) {
        switch (pc) {
          case 0u: pc = fetch(loc_x) == 0u ? 0u : 1u; break;  // if (x == 0) goto 0;
          case 1u: pc = fetch(loc_x) == 1u ? 3u : 2u; break;  // if (x == 1) goto end;
          case 2u: exchange(loc_x, 0u); pc = 3u; break;  // x = 0;
        }
      }
    }
    if (thread == 1u) {
      uint pc = 0u;
      while (pc != 1u) {
        switch (pc) {
          case 0u: exchange(loc_x, 1u); pc = 1u; break;  // x = 1;
        }
      }
    }
  }
  atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);
}

