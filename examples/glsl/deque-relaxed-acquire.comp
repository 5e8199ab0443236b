#version 450
#extension GL_KHR_memory_scope_semantics : require
// Work-stealing deque with one task. Weakened: acquires are relaxed.
// The owner, workgroup 0, pushes a task and takes from its end; the thief, workgroup 1, steals from the other. Exactly one may
// run the last task, and it sees what was pushed.
// @Config: 1, 1, 2
// @Output: forall (not (ran[0] == 7 and ran[1] == 7))
layout(local_size_x = 1) in;
layout(binding = 0) nonprivate buffer Data { uint head; uint tail; uint task; uint ran[2]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE 0, gl_SemanticsRelaxed
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  if (gl_WorkGroupID.x == 0u) {
    task = 7u;
    atomicStore(tail, 1u, SCOPE, RELEASE);
    atomicStore(tail, 0u, SCOPE, 0, gl_SemanticsRelaxed);  // take: the last task is contended
    if (atomicCompSwap(head, 0u, 1u, SCOPE, 0, gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed) == 0u) ran[0] = task;
    atomicStore(tail, 1u, SCOPE, RELEASE);
  } else {
    if (atomicLoad(tail, SCOPE, ACQUIRE) == 1u) {
      if (atomicCompSwap(head, 0u, 1u, SCOPE, 0, gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed) == 0u) ran[1] = task;
    }
  }
}
