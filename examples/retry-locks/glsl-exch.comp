#version 450
#extension GL_KHR_memory_scope_semantics : require
// A lock that is tried until it is had; who has it adds one to x. No two find the same.
// @Config: 1, 1, 2
// @Output: forall (seen[0] != seen[1])
layout(local_size_x_id = 0) in;  // as the launch has it
layout(binding = 0) nonprivate buffer Data { uint lock; uint x; uint seen[4]; };

#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  while (atomicExchange(lock, 1u, gl_ScopeDevice, ACQUIRE) != 0u) {
  }
  uint count = x;
  seen[gl_GlobalInvocationID.x] = count;
  x = count + 1u;
  atomicStore(lock, 0u, gl_ScopeDevice, RELEASE);
}
