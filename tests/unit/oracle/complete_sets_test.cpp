// Every test of two threads and up to four instructions, and of three threads and three, against the slow oracle, under
// the published models and the bundled ones of our own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/oracle.h"
#include "slow_oracle.h"
#include "synth/synth.h"

namespace fencepost::oracle {
namespace {

std::vector<fair::Model> all_models() {
  std::vector<fair::Model> models;
  for (const char* name : {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"})
    models.push_back(fair::load_model(name).value());
  for (const char* name : {"window", "lock-holder", "token", "patience"})
    models.push_back(
        fair::load_model(fmt::format("{}/examples/progress-models/{}.progress", FENCEPOST_SOURCE_DIR, name)).value());
  return models;
}

void hold(uint32_t threads, uint32_t instructions, uint64_t expected) {
  const std::vector<fair::Model> models = all_models();
  Decider decider(models);
  synth::Request request;
  request.threads = threads;
  request.instructions = instructions;
  Job job;
  uint64_t seen = 0;
  const auto summary = synth::synthesise(request, {}, job, [&](const synth::Found& f) {
    ++seen;
    const auto slow = slow::decide_published(f.test, 100'000).value();
    const auto verdicts = decider(f.test);
    for (size_t m = 0; m < models.size(); ++m) {
      const Pair right = m < slow.size() ? slow[m] : slow::decide(f.test, models[m], 100'000).value();
      ASSERT_EQ((**verdicts)[m], right) << models[m].name() << '\n' << axb::to_text(f.test);
    }
  });
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(seen, expected);
}

TEST(CompleteSets, TwoThreadsTwoInstructions) { hold(2, 2, 8); }
TEST(CompleteSets, TwoThreadsThreeInstructions) { hold(2, 3, 162); }
TEST(CompleteSets, ThreeThreadsThreeInstructions) { hold(3, 3, 60); }
TEST(CompleteSets, TwoThreadsFourInstructions) { hold(2, 4, 6610); }

}  // namespace
}  // namespace fencepost::oracle
