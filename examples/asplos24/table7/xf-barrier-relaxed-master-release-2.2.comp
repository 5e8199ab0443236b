#version 450
#extension GL_KHR_memory_scope_semantics : require
// Barrier between workgroups, after Xiao and Feng. Weakened: the release of the master is relaxed.
// Invocation i of workgroup 0, the master, waits for workgroup i and releases it again. What any invocation wrote before the
// barrier, every invocation sees behind it.
// @Config: 2, 1, 2
// @Output: forall (seen[0] == 1 and seen[1] == 1 and seen[2] == 1 and seen[3] == 1)
layout(local_size_x = 2) in;
layout(binding = 0) nonprivate buffer Data { uint flag[2]; uint data[4]; uint seen[4]; };

#define SCOPE gl_ScopeDevice
#define ACQUIRE gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible
#define RELEASE gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable

void main() {
  uint me = gl_GlobalInvocationID.x;
  data[me] = 1u;
  if (gl_WorkGroupID.x == 0u) {
    if (gl_LocalInvocationID.x + 1u < gl_NumWorkGroups.x) {
      while (atomicLoad(flag[gl_LocalInvocationID.x + 1u], SCOPE, ACQUIRE) == 0u) {
      }
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    if (gl_LocalInvocationID.x + 1u < gl_NumWorkGroups.x) {
      atomicStore(flag[gl_LocalInvocationID.x + 1u], 0u, SCOPE, 0, gl_SemanticsRelaxed);
    }
  } else {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    if (gl_LocalInvocationID.x == 0u) {
      atomicStore(flag[gl_WorkGroupID.x], 1u, SCOPE, RELEASE);
      while (atomicLoad(flag[gl_WorkGroupID.x], SCOPE, ACQUIRE) == 1u) {
      }
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  }
  seen[me] = data[(me + 2u) % 4u];
}
