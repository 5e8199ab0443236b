#version 450
#extension GL_KHR_memory_scope_semantics : require
// Prefix sums with decoupled look-back, three tiles. Weakened: releases are relaxed.
// A tile publishes its own sum, then looks back: a predecessor that has only its sum is added and passed, one that has its prefix ends
// the walk. Tile i holds i + 1.
// @Config: 1, 1, 3
// @Output: forall (prefix[0] == 1 and prefix[1] == 3 and prefix[2] == 6)
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint state[3]; uint sum[3]; uint prefix[3]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE 0, gl_SemanticsRelaxed

void main() {
  uint tile = gl_WorkGroupID.x;
  uint total = tile + 1u;
  sum[tile] = total;
  if (tile != 0u) {
    atomicStore(state[tile], 1u, SCOPE, RELEASE);
    for (uint at = tile; at != 0u;) {
      at = at - 1u;
      uint found;
      do {
        found = atomicLoad(state[at], SCOPE, ACQUIRE);
      } while (found == 0u);
      if (found == 2u) {
        total = total + prefix[at];
        break;
      }
      total = total + sum[at];
    }
  }
  prefix[tile] = total;
  atomicStore(state[tile], 2u, SCOPE, RELEASE);
}
