#version 450
#extension GL_KHR_memory_scope_semantics : require
// Compare-and-swap lock. Weakened: releases are relaxed.
// Every invocation adds one to x while it holds the lock.
// @Config: 1, 1, 2
// @Output: forall (x == 2)
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE 0, gl_SemanticsRelaxed

void main() {
  while (atomicCompSwap(lock, 0u, 1u, SCOPE, ACQUIRE, 0, gl_SemanticsRelaxed) != 0u) {
  }
  x = x + 1u;
  atomicStore(lock, 0u, SCOPE, RELEASE);
}
