// Progress test mutex/1: 2 threads, 32766 instances, 65532 invocations launched.
// Mapping hybrid: ids are drawn into instances; within an instance a larger id is a larger thread.
// Seed of the draw: 5.
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

// A permutation of 0..size-1: four Feistel rounds on 2 * half_bits bits, repeated until the value is in range.
// Slot s belongs to instance s / T. hybrid_id is the inverse of hybrid_slot. The keys come from the seed.
static inline uint hybrid_mix(uint part, uint key, uint half_bits) {
  uint m = (part + key) * 2654435761u;
  m = (m ^ (m >> 15)) * 2246822507u;
  return m >> (32u - half_bits);
}
static inline uint hybrid_slot(uint id, uint size, uint half_bits) {
  do {
    uint left = id >> half_bits, right = id & ((1u << half_bits) - 1u);
    left ^= hybrid_mix(right, 1661156108u, half_bits);
    right ^= hybrid_mix(left, 3231134029u, half_bits);
    left ^= hybrid_mix(right, 999478256u, half_bits);
    right ^= hybrid_mix(left, 426659522u, half_bits);
    id = left << half_bits | right;
  } while (id >= size);
  return id;
}
static inline uint hybrid_id(uint slot, uint size, uint half_bits) {
  do {
    uint left = slot >> half_bits, right = slot & ((1u << half_bits) - 1u);
    right ^= hybrid_mix(left, 426659522u, half_bits);
    left ^= hybrid_mix(right, 999478256u, half_bits);
    right ^= hybrid_mix(left, 3231134029u, half_bits);
    left ^= hybrid_mix(right, 1661156108u, half_bits);
    slot = left << half_bits | right;
  } while (slot >= size);
  return slot;
}

// mutex/1: 2 threads, 32766 instances
// loc_x: words 0 to 32765 of buffer 0, initially 0
kernel void hybrid_mutex_1(device atomic_uint* memory [[buffer(0)]], device atomic_uint* counter [[buffer(1)]],
                uint gid [[thread_position_in_grid]]) {
  uint thread = 0u;
  uint instance = 0u;
  const bool takes_part = gid < 65532u;
  if (takes_part) {
    instance = hybrid_slot(gid, 65532u, 8u) / 2u;
    for (uint j = 0u; j < 2u; ++j) thread += hybrid_id(instance * 2u + j, 65532u, 8u) < gid ? 1u : 0u;
  }
  if (takes_part) {
    device atomic_uint* loc_x = memory + instance;
    if (thread == 0u) {
      uint pc = 0u;
      while (pc != 2u) {
        switch (pc) {
          case 0u: pc = exchange(loc_x, 1u) == 1u ? 0u : 1u; break;  // if (exch(x, 1) == 1) goto 0;
          case 1u: exchange(loc_x, 0u); pc = 2u; break;  // x = 0;
        }
      }
    }
    if (thread == 1u) {
      uint pc = 0u;
      while (pc != 2u) {
        switch (pc) {
          case 0u: pc = exchange(loc_x, 1u) == 1u ? 0u : 1u; break;  // if (exch(x, 1) == 1) goto 0;
          case 1u: exchange(loc_x, 0u); pc = 2u; break;  // x = 0;
        }
      }
    }
  }
  atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);
}

