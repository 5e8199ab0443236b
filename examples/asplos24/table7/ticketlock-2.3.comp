#version 450
#extension GL_KHR_memory_scope_semantics : require
// Ticket lock.
// Each invocation draws a number and waits until it is served; then it adds one to x and notes what it found.
// Drawing the number needs no order: what orders the critical sections is the counter of those served.
// @Config: 2, 1, 3
// @Output: forall (seen[0] != seen[1] and seen[0] != seen[2] and seen[0] != seen[3] and seen[0] != seen[4] and seen[0] != seen[5] and seen[1] != seen[2] and seen[1] != seen[3] and seen[1] != seen[4] and seen[1] != seen[5] and seen[2] != seen[3] and seen[2] != seen[4] and seen[2] != seen[5] and seen[3] != seen[4] and seen[3] != seen[5] and seen[4] != seen[5])
layout(local_size_x = 2) in;
layout(binding = 0) nonprivate buffer Data { uint next; uint serving; uint x; uint seen[6]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  uint ticket = atomicAdd(next, 1u, SCOPE, 0, gl_SemanticsRelaxed);
  while (atomicLoad(serving, SCOPE, ACQUIRE) != ticket) {
  }
  uint count = x;
  seen[gl_GlobalInvocationID.x] = count;
  x = count + 1u;
  atomicStore(serving, ticket + 1u, SCOPE, RELEASE);
}
