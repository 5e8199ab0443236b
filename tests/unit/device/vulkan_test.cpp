// Vulkan devices: every device that answers here, lavapipe above all. Without one the tests are skipped.
#include "device/vulkan/vulkan.h"

#include "running.h"

using namespace fencepost;
using namespace fencepost::device;
using namespace fencepost::device_test;

namespace {

std::vector<std::unique_ptr<Backend>> vulkan_devices(bool spinning) {
  std::vector<std::unique_ptr<Backend>> out;
  for (const Info& i : find_devices().devices) {
    if (i.api != Api::vulkan || !i.device_scope) continue;
    if (spinning && std::any_of(i.defects.begin(), i.defects.end(), [](const Defect& d) { return d.refuses_loops; }))
      continue;
    if (auto d = open(i.id)) out.push_back(std::move(*d));
  }
  return out;
}
#define NEED_DEVICES(devices, spinning)                                                                            \
  const auto devices = vulkan_devices(spinning);                                                                   \
  if (devices.empty())                                                                                             \
  GTEST_SKIP() << (spinning ? "no Vulkan device with the memory model and without a loop limit (Mesa 23 or later)" \
                            : "no Vulkan device with the memory model (Debian: mesa-vulkan-drivers)")

}  // namespace

TEST(VulkanDevice, TheSelfTestIsWhatThePrinterMakes) {
  const auto text = emit::kernel_spirv({loop_test()});
  ASSERT_TRUE(text.has_value()) << message(text.error());
  const auto words = vulkan::loop_test_words();
  std::string printed;
  const std::string expected(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  if (expected != text->words) {
    std::vector<uint32_t> now(text->words.size() / 4);
    std::memcpy(now.data(), text->words.data(), text->words.size());
    for (const uint32_t w : now) printed += fmt::format("{:#x}, ", w);
  }
  EXPECT_EQ(printed, "") << "the words that the printer makes now";
}

TEST(VulkanDevice, ExpressionsAgreeWithTheExecutor) {
  NEED_DEVICES(devices, false);
  const Expressions e = expressions(13, 60);
  for (const auto& d : devices) expect_as_executed(*d, e.kernel, 1, 1, {e.in, e.out});
}

TEST(VulkanDevice, WorkgroupBarriersHold) {
  NEED_DEVICES(devices, false);
  for (const auto& d : devices) expect_as_executed(*d, reduction(8, 20), 3, 8, {std::vector<uint32_t>(24)});
}

// A device that cuts loops off is found out, and any other runs them to their end.
TEST(VulkanDevice, LoopsRunToTheirEndOrTheDeviceSaysSo) {
  NEED_DEVICES(devices, false);
  for (const auto& d : devices) {
    const Ran r = run_on(*d, loop_test(), 1, 1, {{200000, 0}});
    ASSERT_TRUE(r.ok) << r.message;
    const bool limited = std::any_of(d->info().defects.begin(), d->info().defects.end(),
                                     [](const Defect& x) { return x.name == "loop-limit"; });
    EXPECT_EQ(r.buffers[0][1] != 200000u, limited) << d->info().name << " ran " << r.buffers[0][1];
  }
}

TEST(VulkanDevice, OnlyWhatTsoAllowsOnProcessors) {
  NEED_DEVICES(devices, true);
  for (const auto& d : devices) {
    if (d->info().runs_groups_together || d->info().units < 2) continue;
    const Histogram h = run_litmus(*d, Style::vulkan, k_sb, 64, 5000);
    EXPECT_EQ(h.total, 64u * 5000u);
    fmt::print("{}: SB {} instances in {:.3f} s, {:.3g}/s, weak {}\n", d->info().id, h.total, h.seconds,
               h.total / h.seconds, h.count[state(0, 0, 1, 1)]);
    const Histogram l = run_litmus(*d, Style::vulkan, k_lb, 64, 2000);
    EXPECT_EQ(l.total, 64u * 2000u);
    EXPECT_EQ(l.count[state(1, 1, 1, 1)], 0u);
  }
}

TEST(VulkanDevice, FaultsOfTheCallerAreNamed) {
  NEED_DEVICES(devices, false);
  Backend& d = *devices[0];
  const std::string id = d.info().id;
  const auto source = source_for(d, chain(false));
  ASSERT_TRUE(source.has_value()) << message(source.error());
  const auto m = d.load(*source);
  ASSERT_TRUE(m.has_value()) << message(m.error());
  const BufferId b = d.allocate(8).value();
  EXPECT_EQ(message(d.launch({*m, "other", 1, 1, 1, {b}, 1}).error()), id + ": the module has no kernel 'other'");
  EXPECT_EQ(message(d.launch({*m, "chain", 1, 1, 1, {}, 1}).error()),
            id + ": kernel 'chain' takes 1 buffers, 0 are given");
  EXPECT_EQ(message(d.fill(b, 7, 2, 0).error()), id + ": words 7 to 9 of a buffer of 8");
  EXPECT_EQ(message(d.load({Language::spirv, "abc", {}}).error()), id + ": 3 bytes are not a SPIR-V module");
  EXPECT_FALSE(open("vulkan:999").has_value());
}
