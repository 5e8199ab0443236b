#version 450
#extension GL_KHR_memory_scope_semantics : require
// Compare-and-swap lock. Weakened: acquires are relaxed.
// Every invocation adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; uint seen[2]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE 0, gl_SemanticsRelaxed
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  while (atomicCompSwap(lock, 0u, 1u, SCOPE, ACQUIRE, ACQUIRE) != 0u) {
  }
  uint count = x;
  seen[gl_GlobalInvocationID.x] = count;
  x = count + 1u;
  atomicStore(lock, 0u, SCOPE, RELEASE);
}
