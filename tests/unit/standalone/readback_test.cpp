// Single instances printed as SPIR-V and as GLSL, read back by the front end, get the verdict of the litmus test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cat/library.h"
#include "check/check.h"
#include "code/execute.h"
#include "prog/syntax.h"
#include "read/read.h"
#include "standalone/single_text.h"

using namespace fencepost;

namespace {

std::vector<std::string> vulkan_tests() {
  std::vector<std::string> out;
  for (const char* folder : {"/examples", "/tests/corpus/vulkan"})
    for (const auto& e : std::filesystem::recursive_directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + folder))
      if (e.path().extension() == ".litmus") {
        const auto t = read::parse_file(e.path());
        if (t && t->size() == 1 && (*t)[0].syntax == prog::Syntax::vulkan) out.push_back(e.path());
      }
  std::sort(out.begin(), out.end());
  return out;
}

std::string decided(const prog::Test& t) {
  const auto model = cat::load_model("vulkan", t.dialect);
  EXPECT_TRUE(model.has_value());
  Job job = Job::with_budget(20);
  const check::Result r = check::check(t, *model, {}, job);
  return fencepost::name(r.verdict.status);
}

std::string read_back(const Expected<std::string>& text, const char* name) {
  if (!text) return "refused";
  const auto t = read::parse_one(make_source(name, *text));
  if (!t) return "unreadable: " + render(t.error()) + "\n" + *text;
  return decided(*t);
}

}  // namespace

TEST(ReadBack, ShadersGetTheVerdictOfTheTest) {
  size_t read = 0, in_glsl = 0, refused = 0;
  for (const std::string& path : vulkan_tests()) {
    const prog::Test test = read::parse_file(path)->front();
    const auto single = standalone::single_kernel(test);
    if (!single || single->loops) {
      ++refused;
      continue;
    }
    const auto spirv = standalone::spirv_text(*single);
    if (!spirv) {
      ++refused;
      continue;
    }
    const std::string expected = decided(test);
    EXPECT_EQ(read_back(spirv, "test.spvasm"), expected) << path << "\n" << *spirv;
    ++read;
    const auto glsl = standalone::glsl_text(*single);
    if (!glsl) continue;
    EXPECT_EQ(read_back(glsl, "test.comp"), expected) << path << "\n" << *glsl;
    ++in_glsl;
  }
  fmt::print("{} tests read back from SPIR-V, {} of them from GLSL; {} refused or with loops\n", read, in_glsl,
             refused);
  EXPECT_GT(in_glsl, 20u);
}

// Whatever order the statements of a single instance are executed in, its final state is one of the test's outcomes.
TEST(Single, ExecutedStatesAreOutcomesOfTheTest) {
  size_t run = 0;
  for (const char* folder : {"ptx", "opencl", "vulkan"})
    for (const auto& e :
         std::filesystem::directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/" + folder)) {
      if (e.path().extension() != ".litmus") continue;
      const auto tests = read::parse_file(e.path());
      if (!tests || tests->size() != 1 || tests->front().threads.size() > 2) continue;
      const prog::Test& test = tests->front();
      const auto s = standalone::single_kernel(test, {.spin_limit = 8});
      if (!s || s->loops) continue;
      const auto model = cat::load_model(folder == std::string("ptx") ? "ptx-7.5" : folder, test.dialect);
      ASSERT_TRUE(model.has_value());
      Job job = Job::with_budget(5);
      check::Options unfiltered;
      unfiltered.filter = false;
      const auto outcomes = check::outcomes(test, *model, unfiltered, job);
      // A racy program of OpenCL may do anything, and its model lists what race-free executions do.
      if (!outcomes.states.complete || !outcomes.flags.empty()) continue;
      const code::Executable program(s->kernel);
      for (uint64_t seed = 1; seed <= 4; ++seed) {
        std::vector<code::Words> memory;
        std::vector<code::Words*> buffers;
        for (const auto& b : s->buffers) memory.push_back(b.words);
        for (auto& m : memory) buffers.push_back(&m);
        const auto done = program.run(s->groups, s->subgroups * s->subgroup, buffers, {.seed = seed, .burst = 3});
        ASSERT_EQ(done.fault, "") << e.path();
        prog::State state;
        for (size_t k = 0; k < s->observables.size(); ++k) {
          const auto& w = s->where[k];
          uint64_t v = memory[w.buffer][w.word];
          if (w.width == 64)
            v |= uint64_t{memory[w.buffer][w.word + 1]} << 32;
          else
            v = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v)));
          state.push_back({false, v & term::mask(s->observables[k].width)});
        }
        EXPECT_TRUE(outcomes.states.states.contains(state))
            << e.path() << ": " << prog::to_string(s->observables, state);
      }
      ++run;
    }
  EXPECT_GT(run, 60u);
  fmt::print("{} tests executed\n", run);
}
