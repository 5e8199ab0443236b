#include "clangfe/ptx_table.h"

#include <set>

namespace fencepost::clangfe {
namespace {

struct Row {
  const char* start;  // of the instruction's name; the first row that fits counts
  Does does;
};

constexpr Row k_rows[] = {
    {"griddepcontrol.", Does::nothing},
    {"nanosleep", Does::nothing},
    {"prefetch", Does::nothing},
    {"applypriority", Does::nothing},
    {"pmevent", Does::nothing},
    {"fence.proxy.async::", Does::nothing},
    {"fence.proxy.async", Does::proxy_fence},
    {"fence.proxy.", Does::nothing},
    {"fence.mbarrier_init.", Does::nothing},
    {"cp.async.bulk.prefetch.", Does::nothing},
    {"cp.async.bulk.commit_group", Does::bulk_commit},
    {"tcgen05.fence::", Does::nothing},
    {"createpolicy.", Does::value},
    {"mapa.", Does::map},
    {"getctarank.", Does::value},
    {"setmaxnreg.", Does::meets},
    {"wgmma.fence.", Does::meets},
    {"wgmma.commit_group.", Does::meets},
    {"wgmma.wait_group.", Does::meets},
    {"tcgen05.wait::", Does::meets},
    {"tcgen05.relinquish_alloc_permit.", Does::meets},
    {"mma.sync.", Does::warp_value},
    {"mma.sp.sync.", Does::warp_value},
    {"mma.sp::ordered_metadata.sync.", Does::warp_value},
    {"wmma.mma.sync.", Does::warp_value},
    {"movmatrix.sync.", Does::warp_value},
    {"ldmatrix.sync.", Does::load_matrix},
    {"stmatrix.sync.", Does::store_matrix},
    {"elect.sync", Does::elect},
    {"shfl.sync.", Does::shuffle},
    {"redux.sync.", Does::reduce},
    {"vote.sync.", Does::vote},
    {"activemask.", Does::active_mask},
    {"cp.async.mbarrier.arrive", Does::barrier_state},
    {"cp.async.bulk.wait_group", Does::bulk_wait},
    {"cp.async.bulk.shared", Does::bulk_copy},
    {"cp.async.bulk.global", Does::bulk_copy},
    {"cp.async.bulk.tensor.", Does::unfollowed},
    {"cp.reduce.async.bulk", Does::unfollowed},
    {"cp.async.", Does::thread_copy},
    {"mbarrier.init.", Does::barrier_plain},
    {"mbarrier.inval.", Does::barrier_plain},
    {"mbarrier.", Does::barrier_state},
    {"barrier.cluster.arrive.relaxed", Does::unfollowed},
    {"wgmma.mma_async.", Does::unfollowed},
    {"tcgen05.", Does::unfollowed},
    {"clusterlaunchcontrol.", Does::unfollowed},
    {"multimem.", Does::unfollowed},
    {"st.async.", Does::unfollowed},
    {"red.async.", Does::unfollowed},
    {"st.bulk.", Does::unfollowed},
    {"tensormap.", Does::unfollowed},
    {"ld.", Does::load},
    {"st.", Does::store},
    {"trap", Does::trap},
};

}  // namespace

std::optional<Does> row_of(const PtxStatement& s) {
  for (const Row& r : k_rows)
    if (s.word.starts_with(r.start)) return r.does;
  return std::nullopt;
}

std::string short_name(const PtxStatement& s) {
  std::string name = s.parts[0];
  for (size_t k = 1; k < s.parts.size() && k < 4; ++k) {
    static const std::set<std::string> k_words = {
        "async",     "bulk",         "tensor", "mma_async",    "cluster",    "arrive", "wait",
        "mbarrier",  "commit_group", "reduce", "alloc",        "dealloc",    "commit", "cp",
        "mma",       "ld",           "st",     "query_cancel", "wait_group", "shift",  "try_wait",
        "test_wait", "arrive_drop",  "inval",  "expect_tx",    "complete_tx"};
    if (k_words.count(s.parts[k]) == 0) break;
    name += "." + s.parts[k];
  }
  return name;
}

}  // namespace fencepost::clangfe
