#version 450
#extension GL_KHR_memory_scope_semantics : require
// Test-and-test-and-set lock. Weakened: acquires are relaxed.
// Spins on a plain look, and only then tries to take the lock.
// @Config: 1, 1, 2
// @Output: forall (x == 2)
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE 0, gl_SemanticsRelaxed
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  for (;;) {
    while (atomicLoad(lock, SCOPE, 0, gl_SemanticsRelaxed) != 0u) {
    }
    if (atomicExchange(lock, 1u, SCOPE, ACQUIRE) == 0u) break;
  }
  x = x + 1u;
  atomicStore(lock, 0u, SCOPE, RELEASE);
}
