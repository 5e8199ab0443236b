// The explanations of well-known tests, word for word: tests/golden/explain/NAME[@MODEL].txt for NAME.litmus.
// FENCEPOST_PROMOTE=1 writes what the program says now; read it as a newcomer would before committing it.
// FENCEPOST_DRAW_TO=DIR also writes the pictures.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cat/library.h"
#include "prog/test.h"
#include "read/read.h"
#include "report/report.h"

namespace fencepost::report {
namespace {

struct Case {
  const char* name;
  const char* model;  // "" = the default of the dialect
  bool races;
  bool holds;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name << (*c.model ? "@" : "") << c.model; }

const Case k_cases[] = {
    {"mp-relaxed", "", false, true},
    {"mp-release-acquire", "", false, false},
    {"sb-fence-sc", "", false, false},
    {"iriw-fence-sc", "", false, false},
    {"corr", "", false, false},
    {"vulkan-race", "", true, false},
    {"vulkan-race-fixed", "", true, true},
    {"vulkan-race-fixed", "vulkan", false, true},
    {"opencl-sb-sc", "", false, false},
    {"proxy-constant", "", false, false},
    {"barrier-sb", "", false, false},
    {"figure-16", "vulkan-asplos24", false, true},
    {"figure-16", "vulkan", false, false},
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, Text) {
  const Case& c = GetParam();
  std::string folder = FENCEPOST_SOURCE_DIR "/tests/golden/explain/";
  std::string file = folder + c.name + ".litmus";
  // The name as a user would give it, so that no folder of this machine gets into the text.
  auto test = read::parse_one(make_source(c.name + std::string(".litmus"), slurp(file)));
  ASSERT_TRUE(test) << render(test.error());
  auto model = cat::load_model(*c.model ? c.model : cat::default_model(test->dialect), test->dialect);
  ASSERT_TRUE(model) << render(model.error());
  check::Options options;
  options.property = c.races ? check::Property::races : check::Property::condition;
  options.engine = check::Engine::enumerate;
  Job job = Job::with_budget(60);
  Explained e = explain(c.name + std::string(".litmus"), *test, *model, options, {}, job);
  EXPECT_EQ(e.result.verdict.status, c.holds ? Status::holds : Status::fails) << e.result.verdict.detail;
  std::string name = c.name + (*c.model ? std::string("@") + c.model : std::string());
  if (const char* dir = std::getenv("FENCEPOST_DRAW_TO"); dir != nullptr)
    for (size_t k = 0; k < e.report.pictures.size(); ++k)
      std::ofstream(fmt::format("{}/{}-{}.svg", dir, name, k)) << draw::to_svg(e.report.pictures[k]);
  std::string golden = folder + name + ".txt";
  if (std::getenv("FENCEPOST_PROMOTE") != nullptr) {
    std::ofstream(golden, std::ios::binary) << e.report.text;
    return;
  }
  EXPECT_EQ(e.report.text, slurp(golden));
}

INSTANTIATE_TEST_SUITE_P(Explain, Golden, testing::ValuesIn(k_cases));

}  // namespace
}  // namespace fencepost::report
