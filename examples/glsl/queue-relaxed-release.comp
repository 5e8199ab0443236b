#version 450
#extension GL_KHR_memory_scope_semantics : require
// Message queue of one slot, one producer, one consumer. Weakened: releases are relaxed.
// Two messages go through one slot: the producer waits until the slot is free, the consumer until it is full.
// @Config: 1, 1, 2
// @Output: forall (got[0] == 1 and got[1] == 2)
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint written; uint read; uint slot; uint got[2]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE 0, gl_SemanticsRelaxed

void main() {
  if (gl_WorkGroupID.x == 0u) {
    for (uint n = 0u; n < 2u; n++) {
      while (atomicLoad(read, SCOPE, ACQUIRE) != n) {
      }
      slot = n + 1u;
      atomicStore(written, n + 1u, SCOPE, RELEASE);
    }
  } else {
    for (uint n = 0u; n < 2u; n++) {
      while (atomicLoad(written, SCOPE, ACQUIRE) == n) {
      }
      got[n] = slot;
      atomicStore(read, n + 1u, SCOPE, RELEASE);
    }
  }
}
