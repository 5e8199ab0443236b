// Asynchronous copies of a work-group: who has waited for the event has the whole copy (OpenCL C 3.0, 6.15.11), and
// beside it what must not verify: no wait, the wait for another event, a barrier alone, the next round of a loop.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> launch;
  std::string text;
  int exit_code;
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse(c.launch);
    ASSERT_TRUE(o) << c.name;
    const launch::Answer a = answer(*o, make_source(c.name, c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
  }
}

TEST(Copies, of_a_group_are_made_for_whoever_has_waited) {
  const auto kernel = [](const std::string& wait) {
    return "kernel void k(global const float *in, global float *out) { local float t[64]; int l = get_local_id(0);"
           "event_t e = async_work_group_copy(t, in + 64 * get_group_id(0), 64, 0); " +
           wait + " out[get_global_id(0)] = t[63 - l]; wait_group_events(1, &e); }";
  };
  const std::vector<std::string> launch{"--local_size=64", "--num_groups=16"};
  decide({{"waited.cl", launch, kernel("wait_group_events(1, &e);"), 0},
          {"profile.cl",
           {"--local_size=64", "--num_groups=16", "--profile=gpuverify"},
           kernel("wait_group_events(1, &e);"),
           1},
          {"not_waited.cl", launch, kernel(""), 1},
          {"barrier.cl", launch, kernel("barrier(CLK_LOCAL_MEM_FENCE);"), 1},
          {"another.cl", launch,
           "kernel void k(global const float *in, global float *out) { local float t[64], s[64]; "
           "event_t e = async_work_group_copy(t, in, 64, 0), f = async_work_group_copy(s, in, 64, 0);"
           "wait_group_events(1, &f); out[get_global_id(0)] = t[63 - get_local_id(0)]; wait_group_events(1, &e); }",
           1},
          {"again.cl", launch,
           "kernel void k(global const float *in, global float *out, int n) { local float t[64]; float s = 0;"
           "for (int i = 0; i < n; i++) { event_t e = async_work_group_copy(t, in + 64 * i, 64, 0);"
           "wait_group_events(1, &e); s += t[63 - get_local_id(0)]; } out[get_global_id(0)] = s; }",
           1}});
}

}  // namespace
}  // namespace fencepost::verifier
