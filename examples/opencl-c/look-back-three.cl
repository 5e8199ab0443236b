// Prefix sums with decoupled look-back, three tiles.
// A tile publishes its own sum, then looks back: a predecessor that has only its sum is added and passed, one that has its prefix
// ends the walk. Tile i holds i + 1.
// @Config: 1, 1, 3
// @Output: forall (prefix[0] == 1 and prefix[1] == 3 and prefix[2] == 6)
#define SCOPE memory_scope_device
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

__kernel void look_back(__global atomic_uint* state, __global uint* sum, __global uint* prefix) {
  uint tile = get_group_id(0);
  uint total = tile + 1;
  sum[tile] = total;
  if (tile != 0) {
    atomic_store_explicit(&state[tile], 1, RELEASE, SCOPE);
    for (uint at = tile; at != 0;) {
      --at;
      uint found;
      do {
        found = atomic_load_explicit(&state[at], ACQUIRE, SCOPE);
      } while (found == 0);
      if (found == 2) {
        total += prefix[at];
        break;
      }
      total += sum[at];
    }
  }
  prefix[tile] = total;
  atomic_store_explicit(&state[tile], 2, RELEASE, SCOPE);
}
