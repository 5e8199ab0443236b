// The shipped models against set formulas written by hand.
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "text.h"

namespace fencepost::fair {
namespace {

ThreadSet smallest(ThreadSet s) { return s & -s; }
ThreadSet up_to_largest(ThreadSet s) { return s == 0 ? 0 : ~ThreadSet{0} >> std::countl_zero(s); }

struct Shipped {
  const char* name;
  std::function<ThreadSet(ThreadSet live, ThreadSet started)> formula;
};
const std::vector<Shipped>& shipped() {
  static const std::vector<Shipped> list = {
      {"unfair", [](ThreadSet, ThreadSet) { return ThreadSet{0}; }},
      {"hsa", [](ThreadSet live, ThreadSet) { return smallest(live); }},
      {"obe", [](ThreadSet live, ThreadSet started) { return live & started; }},
      {"hsa+obe", [](ThreadSet live, ThreadSet started) { return (live & started) | smallest(live); }},
      {"lobe", [](ThreadSet live, ThreadSet started) { return live & up_to_largest(started); }},
      {"fair", [](ThreadSet live, ThreadSet) { return live; }},
  };
  return list;
}

TEST(Shipped, AreListedWeakestFirst) {
  const auto list = shipped_models();
  ASSERT_GE(list.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(list[i].name, shipped()[i].name);
    EXPECT_FALSE(list[i].summary.empty());
  }
}

TEST(Shipped, EqualTheirFormulas) {
  for (const Shipped& s : shipped()) {
    const auto m = load_model(s.name);
    ASSERT_TRUE(m.has_value()) << render(m.error());
    EXPECT_EQ(m->name(), s.name);
    EXPECT_TRUE(m->closed_form());
    EXPECT_FALSE(m->reads_instructions());
    for (uint32_t n = 0; n <= 5; ++n)
      for (ThreadSet live = 0; live <= all_of(n); ++live)
        for (ThreadSet started = 0; started <= all_of(n); ++started)
          ASSERT_EQ(m->fair(n, live, started), s.formula(live, started))
              << s.name << " live " << live << " started " << started;
    for (const ThreadSet live : {~ThreadSet{0}, ThreadSet{1} << 63, ThreadSet{5}})
      for (const ThreadSet started : {~ThreadSet{0}, ThreadSet{1} << 63, ThreadSet{6}, ThreadSet{0}})
        EXPECT_EQ(m->fair(64, live, started), s.formula(live, started)) << s.name;
  }
}

// Every sequence of steps and terminations of up to three threads.
TEST(Shipped, MachinesFollowTheClosedForm) {
  for (const Shipped& s : shipped()) {
    const Model m = *load_model(s.name);
    for (uint32_t n = 1; n <= 3; ++n) {
      Machine machine(m, n, all_of(n));
      const std::function<void(Machine::StateId, ThreadSet, ThreadSet, int)> go =
          [&](Machine::StateId at, ThreadSet live, ThreadSet started, int depth) {
            ASSERT_EQ(machine.fair(at), s.formula(live, started)) << s.name;
            ASSERT_EQ(machine.live(at), live);
            if (depth == 0) return;
            for (uint32_t t = 0; t < n; ++t) {
              const ThreadSet bit = ThreadSet{1} << t;
              if ((live & bit) == 0) continue;
              const auto stepped = machine.after_step(at, t, {});
              ASSERT_TRUE(stepped.has_value()) << render(stepped.error());
              go(*stepped, live, started | bit, depth - 1);
              const auto ended = machine.after(at, t, {}, true);
              ASSERT_TRUE(ended.has_value()) << render(ended.error());
              ASSERT_EQ(*ended, *machine.after_termination(*stepped, t));
              go(*ended, live & ~bit, started | bit, depth - 1);
            }
          };
      go(*machine.initial(), all_of(n), 0, 5);
    }
  }
}

TEST(Shipped, AnotherFolderOfModels) {
  const auto dir = std::filesystem::temp_directory_path() / ("fencepost-fair-" + std::to_string(::getpid()));
  std::filesystem::create_directories(dir / "progress");
  setenv("FENCEPOST_MODELS", dir.c_str(), 1);
  const auto none = load_model("hsa");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().list[0].hint.find("there are no models in"), std::string::npos);
  std::ofstream(dir / "progress" / "mine.progress") << "# Mine. More.\nmodel \"mine\"\nfair = live\n";
  std::ofstream(dir / "progress" / "obe.progress") << "model \"obe\"\nfair = {}\n";
  const auto list = shipped_models();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "obe") << "known names first";
  EXPECT_EQ(list[1].summary, "Mine");
  EXPECT_EQ(load_model("MINE")->fair(2, 3, 0), 3u);
  unsetenv("FENCEPOST_MODELS");
  std::filesystem::remove_all(dir);
}

TEST(Shipped, AreFoundByOtherSpellings) {
  EXPECT_EQ(load_model("HSA_OBE")->name(), "hsa+obe");
  EXPECT_EQ(load_model("LOBE")->name(), "lobe");
  const auto missing = load_model("lobbe");
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().list[0].hint.find("did you mean 'lobe'?"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::fair
