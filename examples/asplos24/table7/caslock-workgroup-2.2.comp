#version 450
#extension GL_KHR_memory_scope_semantics : require
// Compare-and-swap lock. Weakened: the scope of every atomic is the workgroup, and the users are in different ones.
// Every invocation adds one to x while it holds the lock, and notes what it found: no two find the same.
// @Config: 2, 1, 2
// @Output: forall (seen[0] != seen[1] and seen[0] != seen[2] and seen[0] != seen[3] and seen[1] != seen[2] and seen[1] != seen[3] and seen[2] != seen[3])
layout(local_size_x = 2) in;
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; uint seen[4]; };

#define SCOPE gl_ScopeWorkgroup
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  while (atomicCompSwap(lock, 0u, 1u, SCOPE, ACQUIRE, ACQUIRE) != 0u) {
  }
  uint count = x;
  seen[gl_GlobalInvocationID.x] = count;
  x = count + 1u;
  atomicStore(lock, 0u, SCOPE, RELEASE);
}
