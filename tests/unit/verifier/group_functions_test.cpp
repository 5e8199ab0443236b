// Work-group functions of OpenCL C 2: all work items come to them, they order no memory, and what a vote, a reduction
// or a broadcast gives is the same for all.
#include "decide.h"

namespace fencepost::verifier {
namespace {

TEST(GroupFunctions, MeetAndOrderNoMemory) {
  const auto kernel = [](const std::string& body) {
    return "__kernel void k(__global int *o, __global int *x, __global float *f, __global long *w, int n) {"
           " __local int s[64]; int t = get_local_id(0), i = get_global_id(0); " +
           body + " }";
  };
  const std::string behind = " { s[t] = i; barrier(CLK_LOCAL_MEM_FENCE); o[i] = s[63 - t]; }";
  const auto texts = std::vector<std::pair<std::string, int>>{
      // The same for all, so that all or none come to a barrier behind.
      {"if (work_group_any(x[i] > 3))" + behind, 0},
      {"if (work_group_all(x[i] > 3))" + behind, 0},
      {"if (work_group_reduce_add(x[i]) > 3)" + behind, 0},
      {"if (work_group_reduce_max(f[i]) > 3)" + behind, 0},
      {"if (work_group_reduce_min(w[i]) > 3)" + behind, 0},
      {"if (work_group_broadcast(x[i], 0) > 3)" + behind, 0},
      {"for (int k = 0; k < work_group_reduce_max(x[i]); ++k)" + behind, 1},
      {"for (int k = 0; k < work_group_reduce_max(x[i]); ++k)" + behind.substr(0, behind.size() - 1) +
           "barrier(CLK_LOCAL_MEM_FENCE); }",
       0},
      {"if (x[i] > 3)" + behind, 1},
      // Of a scan each has its own, any number.
      {"if (work_group_scan_inclusive_add(x[i]) > 3)" + behind, 1},
      {"o[i] = work_group_scan_exclusive_add(x[i]);", 0},
      // Groups do not share it.
      {"o[work_group_reduce_add(x[i])] = get_group_id(0);", 1},
      // All come, or none.
      {"if (t < 32) o[i] = work_group_reduce_add(1);", 1},
      {"if (n > 3) o[i] = work_group_any(x[i]);", 0},
      {"if (x[i] > 3) o[i] = work_group_broadcast(1, 0);", 1},
      {"if (t > n) o[i] = work_group_scan_inclusive_add(1);", 1},
      {"for (int k = 0; k < t; ++k) o[i] = work_group_all(k);", 1},
      // No memory is ordered.
      {"s[t] = i; int a = work_group_any(n); o[i] = s[63 - t] + a;", 1},
      {"s[t] = i; int a = work_group_reduce_add(n); o[i] = s[63 - t] + a;", 1},
      {"s[t] = i; int a = work_group_broadcast(n, 0); o[i] = s[63 - t] + a;", 1},
      {"s[t] = i; int a = work_group_scan_inclusive_add(n); o[i] = s[63 - t] + a;", 1},
      {"s[t] = i; int a = work_group_any(n); barrier(CLK_LOCAL_MEM_FENCE); o[i] = s[63 - t] + a;", 0},
      {"x[i ^ 1] = 1; int a = work_group_all(n); o[i] = x[i] + a;", 1},
  };
  std::vector<std::string> names(texts.size());
  std::vector<std::string> bodies(texts.size());
  std::vector<Case> cases;
  for (size_t i = 0; i < texts.size(); ++i) {
    names[i] = std::to_string(i) + ".cl";
    bodies[i] = kernel(texts[i].first);
    cases.push_back({names[i].c_str(), bodies[i].c_str(), texts[i].second, "", {"--std=CL2.0"}});
  }
  decide(cases);
}

TEST(GroupFunctions, ThatAreNotFollowedAreNamed) {
  decide({{"other.cl",
           "__kernel void k(__global int *o, int n) { o[get_global_id(0)] = work_group_broadcast(n, 3); }",
           3,
           "'work_group_broadcast' of another work item than the first",
           {"--std=CL2.0"}},
          {"any.cl",
           "__kernel void k(__global int *o, int n) { o[get_global_id(0)] = work_group_broadcast(n, n); }",
           3,
           "'work_group_broadcast' of another work item than the first",
           {"--std=CL2.0"}}});
}

// A run does not know what they give, and confirms no race that rests on it.
TEST(GroupFunctions, GiveNoRunAValue) {
  decide({{"sum.cl",
           "__kernel void k(__global int *o, __global int *x) { int i = get_global_id(0); if "
           "(work_group_reduce_add(x[i]) =="
           " 64) o[0] = i; }",
           1,
           "!confirmed by a run",
           {"--std=CL2.0"}}});
}

}  // namespace
}  // namespace fencepost::verifier
