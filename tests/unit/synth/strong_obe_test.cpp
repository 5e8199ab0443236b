// Which tests tell strong OBE from everything that does not promise as much: the bundled ones, and no others of their
// sizes.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "classify/classify.h"
#include "synth/synth.h"

namespace fencepost::synth {
namespace {

const std::string k_folder = std::string(FENCEPOST_SOURCE_DIR) + "/examples/progress/strong-obe/";

std::vector<fair::Model> models() {
  std::vector<fair::Model> all;
  for (const auto& m : fair::shipped_models()) all.push_back(*fair::load_model(m.name));
  return all;
}

struct Size {
  uint32_t threads, instructions;
  size_t strict;
};

TEST(StrongObe, IsStrictlyDistinguishedFromFourInstructionsOn) {
  Options o;
  o.models = models();
  size_t obe = o.models.size(), hsa = obe, fair = obe;
  for (size_t m = 0; m < o.models.size(); ++m) {
    const std::string name = classify::table_name(o.models[m].name());
    if (name == "OBE") obe = m;
    if (name == "HSA") hsa = m;
    if (name == "FAIR") fair = m;
  }
  ASSERT_LT(std::max({obe, hsa, fair}), o.models.size());
  const auto order = classify::order_of(o.models);
  ASSERT_TRUE(order.has_value());
  const classify::Column strong_obe{static_cast<uint32_t>(obe), oracle::Fairness::strong};
  for (const Size& s : {Size{2, 2, 0}, {2, 3, 0}, {3, 3, 0}, {4, 4, 0}, {2, 4, 51}, {3, 4, 30}}) {
    Request r;
    r.threads = s.threads;
    r.instructions = s.instructions;
    Job job;
    std::set<std::string> found;
    const auto done = synthesise(r, o, job, [&](const Found& f) {
      const bool strict = classify::strictly_distinguishes(*order, f.verdicts, strong_obe);
      // The general definition comes to this: who passes any other column that is not as strong as strong OBE passes
      // strong HSA or weak FAIR.
      ASSERT_EQ(strict, f.verdicts[obe].strong && !f.verdicts[hsa].strong && !f.verdicts[fair].weak)
          << list_line(f.test);
      if (strict) found.insert(list_line(f.test));
    });
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(found.size(), s.strict) << config_name(r);
    if (s.strict == 0) continue;
    const auto bundled = axb::parse_file(k_folder + config_name(r) + ".axb");
    ASSERT_TRUE(bundled.has_value()) << render(bundled.error());
    std::set<std::string> lines;
    for (const auto& t : *bundled) lines.insert(list_line(t));
    EXPECT_EQ(lines, found);
  }
}

TEST(StrongObe, BundledVerdictsAgree) {
  for (const char* config : {"2t4i", "3t4i"}) {
    const auto tests = axb::parse_file(k_folder + config + ".axb");
    ASSERT_TRUE(tests.has_value()) << render(tests.error());
    std::stringstream text;
    text << std::ifstream(k_folder + config + ".csv").rdbuf();
    const auto rows = classify::parse_expectations(make_source(config, text.str()));
    ASSERT_TRUE(rows.has_value()) << render(rows.error());
    EXPECT_EQ(rows->size(), tests->size() * 12);
    const auto agreement = classify::expect(*rows, *tests);
    ASSERT_TRUE(agreement.has_value()) << render(agreement.error());
    EXPECT_EQ(agreement->failed, 0u);
    EXPECT_EQ(agreement->passed, rows->size());
  }
}

}  // namespace
}  // namespace fencepost::synth
