#include "plan/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cat/library.h"
#include "check/check.h"
#include "read/read.h"
#include "run_on_executor.h"

using namespace fencepost;
using namespace fencepost::plan;

namespace {

Target random_target(Rng& rng) {
  Target t;
  t.units = 1 + static_cast<uint32_t>(rng.below(4));
  const uint32_t subgroups[] = {1, 2, 4};
  t.subgroup = subgroups[rng.below(3)];
  t.max_lanes = 16;
  t.max_groups = 64;
  t.shared_words = rng.chance(0.5) ? 512 : 12288;
  t.line_words = 16;
  t.groups_together = rng.chance(0.7);
  const uint32_t resident = rng.chance(0.5) ? 12 : 0;
  if (resident > 0) t.resident = {{16, 12}};
  if (!t.groups_together) t.resident = {{16, 12}};
  t.memory_words = 1 << 20;
  return t;
}

Parameters quick() {
  Parameters p;
  const auto ok = set_parameters(
      p,
      "rounds=1..6,align-limit=20..400,stress-iterations=1..8,stress-groups=0..3,spin-limit=200,churn=0..2,"
      "pre-stress-iterations=1..3,stress-word=none..sssss,delay=0..5,ticket=off..on,stress-line=4..64,offset=0..15");
  EXPECT_TRUE(ok.has_value()) << (ok ? "" : render(ok.error()));
  return p;
}

std::vector<std::string> examples() {
  std::vector<std::string> out;
  for (const char* folder : {"asplos24", "thesis", "locks", "liveness", "lowering"})
    for (const auto& e : std::filesystem::directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + "/examples/" + folder))
      if (e.path().extension() == ".litmus") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

// All final states under the model `sc`; nothing when they are not all known.
std::optional<std::set<prog::State>> sc_states(const prog::Test& t) {
  static std::map<vocab::Dialect, cat::Model> models;
  if (!models.contains(t.dialect)) {
    auto m = cat::load_model("sc", t.dialect);
    EXPECT_TRUE(m.has_value());
    models.emplace(t.dialect, std::move(*m));
  }
  Job job;
  check::Options o;
  o.bound = 4;
  const auto out = check::outcomes(t, models.at(t.dialect), o, job);
  if (!out.states.complete && !out.bound_hit) return std::nullopt;
  return out.states.states;
}

struct Seen {
  std::set<prog::State> states;
  uint64_t instances = 0, incomplete = 0, timeouts = 0;
};

// Runs `plans` random plans; every count must add up, nothing may be corrupt.
void run_plans(const prog::Test& test, const Shape& shape, uint32_t plans, Rng& rng, Seen& seen) {
  for (uint32_t n = 0; n < plans; ++n) {
    const Target target = random_target(rng);
    const auto p = make_program(test, target, shape);
    if (!p && shape != Shape{}) return;
    ASSERT_TRUE(p.has_value()) << test.title << "\n" << render(p.error());
    const uint64_t seed = rng.next();
    Parameters wishes = quick();
    if (p->loops) wishes.fix(ParameterId::align, 0);
    const auto c = draw(*p, target, wishes, seed, 8);
    if (!c) {
      ASSERT_EQ(c.error().list[0].fault, Fault::unsupported) << test.title << " " << render(c.error());
      continue;
    }
    const Ran r = run_on_executor(*p, *c,
                                  {.seed = seed,
                                   .burst = static_cast<uint32_t>(1 + rng.below(30)),
                                   .resident = target.resident.empty() ? 0 : 12u});
    ASSERT_EQ(r.fault, "") << test.title << " seed " << seed << " " << to_string(c->drawn);
    ASSERT_EQ(r.total(), c->instances()) << test.title << " seed " << seed << " " << to_string(c->drawn);
    ASSERT_EQ(r.counts[p->corrupt()], 0u) << test.title << " seed " << seed << " " << to_string(c->drawn);
    for (uint32_t s = 0; s < p->states; ++s)
      if (r.counts[s] > 0 && holds(test, p->observables, p->state(s), test.filter)) seen.states.insert(p->state(s));
    seen.instances += r.total();
    seen.incomplete += r.counts[p->incomplete()];
    seen.timeouts += r.timeouts;
  }
}

// Kernels have words of 32 and 64 bits; a narrower location was an internal error.
TEST(Plan, ANarrowLocationIsRefusedByName) {
  const auto t = read::parse_one(make_source(
      "narrow.litmus",
      "OPENCL narrow\n{ uchar x = 255; }\nP0@wg 0, dev 0 (global uchar* x) { int r0 = *x; }\nexists (0:r0 = 255)\n"));
  ASSERT_TRUE(t.has_value()) << render(t.error());
  Rng rng(1);
  const auto made = make_program(*t, random_target(rng), Shape{});
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(render(made.error()).find("'x' has 8 bits"), std::string::npos) << render(made.error());
  const auto cast = read::parse_one(make_source(
      "cast.litmus",
      "OPENCL cast\n{ int x = -1; }\nP0@wg 0, dev 0 (global int* x) { int r0 = (short)*x; }\nexists (0:r0 = -1)\n"));
  ASSERT_TRUE(cast.has_value()) << render(cast.error());
  const auto of_cast = make_program(*cast, random_target(rng), Shape{});
  ASSERT_FALSE(of_cast.has_value());
  EXPECT_NE(render(of_cast.error()).find("a value has 16 bits"), std::string::npos) << render(of_cast.error());
}

TEST(Plan, EveryExampleYieldsOnlyScOutcomes) {
  Rng rng(4711);
  uint32_t run = 0, refused = 0, complete = 0;
  for (const std::string& path : examples()) {
    const auto tests = read::parse_file(path);
    ASSERT_TRUE(tests.has_value());
    for (const prog::Test& test : *tests) {
      const auto allowed = sc_states(test);
      Target t;
      t.subgroup = 4, t.max_lanes = 64, t.shared_words = 4096;
      if (const auto p = make_program(test, t, {}); !p) {
        ASSERT_EQ(p.error().list[0].fault, Fault::unsupported) << render(p.error());
        ++refused;
        if (std::getenv("FENCEPOST_SHOW")) fmt::print("{}: {}\n", test.title, p.error().list[0].message);
        continue;
      }
      ++run;
      Seen seen;
      run_plans(test, {}, 6, rng, seen);
      if (HasFatalFailure()) return;
      run_plans(test, {.region = Region::shared}, 2, rng, seen);
      run_plans(test, {.mode = Mode::single}, 2, rng, seen);
      run_plans(test, {.mode = Mode::warp}, 2, rng, seen);
      for (const Region r : {Region::mixed_odd, Region::mixed_even}) {
        run_plans(test, {.region = r}, 1, rng, seen);
        run_plans(test, {.mode = Mode::warp, .region = r}, 1, rng, seen);
      }
      run_plans(test, {.mode = Mode::warp, .region = Region::shared}, 1, rng, seen);
      if (HasFatalFailure()) return;
      EXPECT_LT(seen.incomplete, seen.instances) << test.title << ": nothing was observed";
      if (!allowed) continue;
      for (const prog::State& s : seen.states)
        EXPECT_TRUE(allowed->contains(s)) << test.title << ": " << prog::to_string(prog::observables(test), s);
      complete += seen.states.size() == allowed->size();
      if (std::getenv("FENCEPOST_SHOW") && seen.states.size() != allowed->size())
        fmt::print("{}: {} of {} states\n", test.title, seen.states.size(), allowed->size());
    }
  }
  if (std::getenv("FENCEPOST_SHOW")) fmt::print("run {} refused {} all SC states seen {}\n", run, refused, complete);
  EXPECT_GE(run, 95u);
  EXPECT_GE(complete, run * 8 / 10);
}

TEST(Parameters, DocumentationHasTheTable) {
  std::ifstream f(std::string(FENCEPOST_SOURCE_DIR) + "/docs/run.md");
  const std::string doc((std::istreambuf_iterator<char>(f)), {});
  EXPECT_NE(doc.find(parameters_markdown()), std::string::npos) << "docs/run.md should hold:\n"
                                                                << parameters_markdown();
}

TEST(Parameters, DrawnOnesCanBeGivenBack) {
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    Drawn d{};
    for (const ParameterInfo& i : parameter_table()) {
      const Wish w{i.to == 0 ? i.least : i.from, i.to == 0 ? i.most : i.to};
      d[static_cast<size_t>(i.id)] = draw_parameter(i, w, rng);
    }
    Parameters p;
    ASSERT_TRUE(set_parameters(p, to_string(d)).has_value());
    for (size_t i = 0; i < k_parameters; ++i) {
      if (i == static_cast<size_t>(ParameterId::cluster) && d[i] == 1) {
        ASSERT_FALSE(p.wishes[i].has_value()) << "not told where there are none";
        continue;
      }
      ASSERT_EQ(*p.wishes[i], (Wish{d[i], d[i]}));
    }
  }
}

TEST(Parameters, MistakesAreNamed) {
  Parameters p;
  const auto message = [&](const char* text) {
    const auto r = set_parameters(p, text);
    return r ? std::string() : r.error().list[0].message + " | " + r.error().list[0].hint;
  };
  EXPECT_EQ(message("strid=4"), "'strid' is not a parameter of a run | did you mean 'stride'?");
  EXPECT_EQ(message("stride=5"), "'5' is not a value for parameter stride | it takes powers of two, 1 to 4096 words");
  EXPECT_EQ(message("schedule=both"), "'both' is not a value for parameter schedule | it takes fused, split");
  EXPECT_EQ(message("groups=9..3"), "the range 9..3 of parameter groups is empty | the smaller value comes first");
  EXPECT_EQ(message("groups"), "parameter groups needs a value | groups=VALUE or groups=FROM..TO");
}

}  // namespace
