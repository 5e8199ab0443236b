// OpenCL devices: every device that answers here, PoCL above all. Without one the tests are skipped.
#include "running.h"

using namespace fencepost;
using namespace fencepost::device;
using namespace fencepost::device_test;

namespace {

// The devices with the atomics that OPENCL tests need.
std::vector<std::unique_ptr<Backend>> scoped_devices() {
  std::vector<std::unique_ptr<Backend>> out;
  for (const Info& i : find_devices().devices)
    if (i.api == Api::opencl && i.device_scope)
      if (auto d = open(i.id)) out.push_back(std::move(*d));
  return out;
}
#define NEED_DEVICES(devices)            \
  const auto devices = scoped_devices(); \
  if (devices.empty()) GTEST_SKIP() << "no OpenCL device with scoped atomics (Debian: pocl-opencl-icd)"

}  // namespace

TEST(OpenclDevice, ExpressionsAgreeWithTheExecutor) {
  NEED_DEVICES(devices);
  const Expressions e = expressions(11, 60);
  for (const auto& d : devices) expect_as_executed(*d, e.kernel, 1, 1, {e.in, e.out});
}

TEST(OpenclDevice, WorkgroupBarriersHold) {
  NEED_DEVICES(devices);
  for (const auto& d : devices) expect_as_executed(*d, reduction(8, 20), 3, 8, {std::vector<uint32_t>(24)});
}

// Two workgroups that wait for one another run together, and on x86 store buffering shows and fences forbid it.
TEST(OpenclDevice, StoreBufferingIsSeenAndFencesForbidIt) {
  NEED_DEVICES(devices);
  for (const auto& d : devices) {
    if (d->info().units < 2) continue;
    uint64_t weak = 0;
    for (int tries = 0; tries < 4 && weak == 0; ++tries) {
      const Histogram h = run_litmus(*d, Style::opencl, k_sb, 64, 5000);
      EXPECT_EQ(h.total, 64u * 5000u);
      weak = h.count[state(0, 0, 1, 1)];
      fmt::print("{}: SB {} instances in {:.3f} s, {:.3g}/s, weak {:.3g}/s\n", d->info().id, h.total, h.seconds,
                 h.total / h.seconds, weak / h.seconds);
    }
    EXPECT_GT(weak, 0u) << d->info().name;
    Shape fenced = k_sb;
    fenced.fences = true;
    const Histogram f = run_litmus(*d, Style::opencl, fenced, 64, 2000);
    EXPECT_EQ(f.total, 64u * 2000u);
    EXPECT_EQ(f.count[state(0, 0, 1, 1)], 0u);
    const Histogram l = run_litmus(*d, Style::opencl, k_lb, 64, 2000);
    EXPECT_EQ(l.count[state(1, 1, 1, 1)], 0u);
  }
}

TEST(OpenclDevice, AFailedBuildShowsTheCompilersWords) {
  NEED_DEVICES(devices);
  const auto m = devices[0]->load({Language::opencl_c, "__kernel void k() { undeclared_thing = 1; }", {}});
  ASSERT_FALSE(m.has_value());
  EXPECT_NE(message(m.error()).find("undeclared_thing"), std::string::npos) << message(m.error());
}

TEST(OpenclDevice, FaultsOfTheCallerAreNamed) {
  NEED_DEVICES(devices);
  Backend& d = *devices[0];
  const std::string id = d.info().id;
  const auto m = d.load(*source_for(d, chain(false)));
  ASSERT_TRUE(m.has_value()) << message(m.error());
  const BufferId b = d.allocate(8).value();
  EXPECT_EQ(message(d.launch({*m, "other", 1, 1, 1, {b}, 1}).error()), id + ": the module has no kernel 'other'");
  EXPECT_EQ(message(d.fill(b, 7, 2, 0).error()), id + ": words 7 to 9 of a buffer of 8");
  EXPECT_EQ(message(d.launch({*m, "chain", 1, 1, 4, {b}, 1}).error()), id + ": there are no clusters of workgroups");
  EXPECT_FALSE(open("opencl:999").has_value());
}
