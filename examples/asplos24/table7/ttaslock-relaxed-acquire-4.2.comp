#version 450
#extension GL_KHR_memory_scope_semantics : require
// Test-and-test-and-set lock. Weakened: acquires are relaxed.
// Spins on a plain look, and only then tries to take the lock; then it adds one to x and notes what it found.
// @Config: 4, 1, 2
// @Output: forall (seen[0] != seen[1] and seen[0] != seen[2] and seen[0] != seen[3] and seen[0] != seen[4] and seen[0] != seen[5] and seen[0] != seen[6] and seen[0] != seen[7] and seen[1] != seen[2] and seen[1] != seen[3] and seen[1] != seen[4] and seen[1] != seen[5] and seen[1] != seen[6] and seen[1] != seen[7] and seen[2] != seen[3] and seen[2] != seen[4] and seen[2] != seen[5] and seen[2] != seen[6] and seen[2] != seen[7] and seen[3] != seen[4] and seen[3] != seen[5] and seen[3] != seen[6] and seen[3] != seen[7] and seen[4] != seen[5] and seen[4] != seen[6] and seen[4] != seen[7] and seen[5] != seen[6] and seen[5] != seen[7] and seen[6] != seen[7])
layout(local_size_x = 4) in;
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; uint seen[8]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE 0, gl_SemanticsRelaxed
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  for (;;) {
    while (atomicLoad(lock, SCOPE, 0, gl_SemanticsRelaxed) != 0u) {
    }
    if (atomicExchange(lock, 1u, SCOPE, ACQUIRE) == 0u) break;
  }
  uint count = x;
  seen[gl_GlobalInvocationID.x] = count;
  x = count + 1u;
  atomicStore(lock, 0u, SCOPE, RELEASE);
}
