// Barrier between work-groups, after Xiao and Feng. Weakened: the scope of every atomic is the work-group, and the users are in different ones.
// Work-item i of work-group 0, the master, waits for work-group i and releases it again. What any work-item wrote before the
// barrier, every work-item sees behind it.
// @Config: 2, 1, 2
// @Output: forall (seen[0] == 1 and seen[1] == 1 and seen[2] == 1 and seen[3] == 1)
#define SCOPE memory_scope_work_group
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

__kernel void xf_barrier(__global atomic_uint* flag, __global uint* data, __global uint* seen) {
  size_t me = get_global_id(0), local_id = get_local_id(0);
  data[me] = 1;
  if (get_group_id(0) == 0) {
    if (local_id + 1 < get_num_groups(0)) {
      while (atomic_load_explicit(&flag[local_id + 1], ACQUIRE, SCOPE) == 0) {
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (local_id + 1 < get_num_groups(0)) atomic_store_explicit(&flag[local_id + 1], 0, RELEASE, SCOPE);
  } else {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (local_id == 0) {
      atomic_store_explicit(&flag[get_group_id(0)], 1, RELEASE, SCOPE);
      while (atomic_load_explicit(&flag[get_group_id(0)], ACQUIRE, SCOPE) == 1) {
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  seen[me] = data[(me + 2) % 4];
}
