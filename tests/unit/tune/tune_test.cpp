#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "plan/fitted.h"
#include "read/read.h"
#include "stats/peek.h"
#include "tune/conduct.h"
#include "tune/replay.h"
#include "tune/search.h"
#include "tune/show.h"
#include "tune/space.h"

using namespace fencepost;
using namespace fencepost::tune;

namespace {

// Configurations with rates of their own; a round of 1 ms and 1000 instances, its count drawn from the seed.
class Synthetic : public Bench {
 public:
  explicit Synthetic(std::vector<double> rates, uint64_t seed = 1)
      : rates_(std::move(rates)), rng_(seed), taken_(rates_.size()) {}

  void derive(uint32_t c, uint32_t parent) override { parents[c] = parent; }
  Expected<std::vector<Round>> measure(uint32_t c, uint32_t rounds) override {
    std::vector<Round> out;
    if (lost.contains(c)) return out;
    double better = 1;  // a neighbour is better than its parent
    uint32_t root = c;
    for (auto p = parents.find(c); p != parents.end(); p = parents.find(root)) {
      better *= 1.2;
      root = p->second;
    }
    for (uint32_t k = 0; k < rounds; ++k) {
      const double rate = better * rates_[root % rates_.size()] * (drifting.contains(c) && taken_[c] > 50 ? 0 : 1);
      ++taken_[c % taken_.size()];
      uint64_t events = 0;
      for (int i = 0; i < 1000; ++i) events += rng_.chance(rate);
      out.push_back({1000, events, 1'000'000, 500'000});
      seconds_ += 1e-3;
    }
    return out;
  }
  double seconds() const override { return seconds_; }
  bool stopped() const override { return false; }
  std::set<uint32_t> lost, drifting;
  std::map<uint32_t, uint32_t> parents;

 private:
  std::vector<double> rates_;
  Rng rng_;
  std::vector<uint32_t> taken_;
  double seconds_ = 0;
};

std::vector<double> spread(uint32_t n) {
  std::vector<double> out;
  for (uint32_t k = 0; k < n; ++k) out.push_back(0.3 * std::pow(0.8, k));
  std::swap(out[0], out[n / 2]);
  return out;
}

Rule rule(Strategy s, uint32_t configurations) {
  Rule r;
  r.strategy = s;
  r.configurations = configurations;
  return r;
}

prog::Test sb() {
  auto t = read::parse_one(make_source("SB.litmus", R"(PTX SB
{ x = 0; y = 0; }
 P0@cta 0, gpu 0     | P1@cta 1, gpu 0     ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;
 ld.relaxed.gpu r0, y | ld.relaxed.gpu r1, x ;
exists (0:r0 == 0 /\ 1:r1 == 1)
)"));
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  return *t;
}

template <class T>
T value(Expected<T> e) {
  EXPECT_TRUE(e.has_value()) << (e ? "" : render(e.error()));
  return std::move(*e);
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-tune-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

Task small_task(const std::string& device) {
  Task t;
  t.tests = {sb()};
  t.device = t.device_name = device;
  t.rule = rule(Strategy::halving, 6);
  t.rule.rounds = 8;
  t.rule.first_rounds = 2;
  t.confirm_rounds = 10;
  t.given.fix(plan::ParameterId::lanes, 2);
  t.given.fix(plan::ParameterId::rounds, 2);
  return t;
}

}  // namespace

TEST(Tune, EveryStrategyFindsAClearBest) {
  for (const Strategy s : {Strategy::exhaustive, Strategy::peek, Strategy::halving})
    for (const bool published : {false, true}) {
      Synthetic bench(spread(20));
      Rule r = rule(s, 20);
      r.published = published;
      const Found f = value(search(r, bench));
      ASSERT_TRUE(f.winner);
      EXPECT_EQ(f.candidates[*f.winner].configuration, 10u) << name(s);
      EXPECT_EQ(f.candidates[*f.winner].rounds.size(), r.rounds) << name(s);
      if (s != Strategy::exhaustive) {
        EXPECT_LT(bench.seconds(), 1.2) << name(s);  // of 2
      }
    }
}

TEST(Tune, FewRoundsInFullAreNotSpentOnTheFirstLook) {
  EXPECT_EQ(usual_first_rounds(1000), 4u);
  EXPECT_EQ(usual_first_rounds(100), 4u);
  EXPECT_EQ(usual_first_rounds(79), 3u);
  EXPECT_EQ(usual_first_rounds(20), 3u);
  Rule r = rule(Strategy::halving, 20);
  r.rounds = 20;
  double seconds[2] = {};
  for (const bool usual : {false, true}) {
    Synthetic bench(spread(20));
    r.first_rounds = usual ? usual_first_rounds(r.rounds) : 4;
    const Found f = value(search(r, bench));
    ASSERT_TRUE(f.winner);
    EXPECT_EQ(f.candidates[*f.winner].configuration, 10u);
    seconds[usual] = bench.seconds();
  }
  EXPECT_LT(seconds[1], seconds[0]);
}

TEST(Tune, SearchesAreFunctionsOfTheirRounds) {
  Synthetic a(spread(20), 7), b(spread(20), 7);
  const Rule r = rule(Strategy::halving, 20);
  const Found x = value(search(r, a)), y = value(search(r, b));
  EXPECT_EQ(x.winner, y.winner);
  EXPECT_EQ(x.curve.size(), y.curve.size());
  EXPECT_EQ(a.seconds(), b.seconds());
}

TEST(Tune, LostAndUnstableConfigurationsDoNotWin) {
  Synthetic bench(spread(12));
  bench.lost = {6};      // the best
  bench.drifting = {1};  // the second: its rate falls to nothing after 50 rounds
  const Found f = value(search(rule(Strategy::exhaustive, 12), bench));
  EXPECT_EQ(f.candidates[6].end, Candidate::End::lost);
  EXPECT_EQ(f.candidates[1].restarts, 1u);  // begun again, where it stays at nothing: stationary
  ASSERT_TRUE(f.winner);
  EXPECT_EQ(f.candidates[*f.winner].configuration, 2u);
}

TEST(Tune, TheBudgetEndsASearchAndFurtherSetsUseIt) {
  Synthetic brief(spread(20));
  Rule r = rule(Strategy::halving, 20);
  r.budget = 0.05;
  const Found cut = value(search(r, brief));
  EXPECT_LT(brief.seconds(), 0.06);
  EXPECT_TRUE(cut.over);
  EXPECT_TRUE(cut.winner);
  Synthetic ample(spread(20));
  r.budget = 2;
  const Found sets = value(search(r, ample));
  EXPECT_GT(sets.sets, 1u);
  EXPECT_GT(sets.candidates.size(), 20u);
}

// The published rule drops a candidate after one barren chunk; the corrected one waits until the best would have shown
// a dozen outcomes.
TEST(Tune, TheCorrectedRuleDoesNotDropOnSilence) {
  std::vector<double> rates(2, 2e-5);
  rates[1] = 4e-4;
  int lost_by_published = 0, lost_by_corrected = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (const bool published : {true, false}) {
      Synthetic bench(rates, seed);
      Rule r = rule(Strategy::peek, 2);
      r.published = published;
      r.peeks = 100;
      const Found f = value(search(r, bench));
      (published ? lost_by_published : lost_by_corrected) += f.candidates[*f.winner].configuration != 1;
    }
  EXPECT_EQ(lost_by_corrected, 0);
  EXPECT_GT(lost_by_published, 0);
}

TEST(Tune, EstimatesWidenWithTheDispersionOfRounds) {
  std::vector<Round> even(50, {1000, 10, 1'000'000, 0}), uneven(50, {1000, 0, 1'000'000, 0});
  for (size_t k = 0; k < 50; k += 10) uneven[k].events = 100;
  const Estimate a = estimate(even, Objective::per_second), b = estimate(uneven, Objective::per_second);
  EXPECT_DOUBLE_EQ(a.rate, 10000);
  EXPECT_DOUBLE_EQ(b.rate, 10000);
  EXPECT_EQ(a.dispersion, 1);
  EXPECT_GT(b.dispersion, 50);
  EXPECT_GT(b.interval.upper - b.interval.lower, 5 * (a.interval.upper - a.interval.lower));
  EXPECT_DOUBLE_EQ(estimate(even, Objective::per_instance).rate, 0.01);
}

TEST(Tune, ConfigurationsAreDeterministicAndReadBack) {
  Space space;
  space.target.units = 132;
  space.target.subgroup = 32;
  space.target.max_lanes = 1024;
  std::set<std::string> texts;
  for (uint32_t k = 0; k < 200; ++k) {
    const plan::Parameters p = draw_configuration(space, 5, k);
    const std::string text = plan::to_string(p);
    EXPECT_EQ(text, plan::to_string(draw_configuration(space, 5, k)));
    texts.insert(text);
    plan::Parameters back;
    ASSERT_TRUE(plan::set_parameters(back, text)) << text;
    EXPECT_EQ(back, p) << text;
    const plan::Wish groups = *p.wishes[static_cast<size_t>(plan::ParameterId::groups)];
    EXPECT_GE(groups.from, 2u);
    EXPECT_LE(groups.to, 264u);
  }
  EXPECT_EQ(texts.size(), 200u);
  // What the user gives stays, and changes nothing else.
  plan::Parameters without = draw_configuration(space, 5, 3);
  space.given.fix(plan::ParameterId::stride, 2);
  plan::Parameters with = draw_configuration(space, 5, 3);
  EXPECT_EQ(with.wishes[static_cast<size_t>(plan::ParameterId::stride)], (plan::Wish{2, 2}));
  with.wishes[static_cast<size_t>(plan::ParameterId::stride)] =
      without.wishes[static_cast<size_t>(plan::ParameterId::stride)];
  EXPECT_EQ(with, without);
}

TEST(Tune, LaterSetsHaveNeighboursOfTheBest) {
  Rule r = rule(Strategy::halving, 16);
  r.rounds = 20;
  r.budget = 3;
  Synthetic refined(spread(16)), drawn(spread(16)), once(spread(16));
  const Found f = search(r, refined).value();
  ASSERT_GT(f.sets, 2u);
  size_t with = 0;
  for (const Candidate& c : f.candidates) {
    EXPECT_EQ(c.parent.has_value(), c.configuration / 16 % 3 != 0) << c.configuration;
    if (!c.parent) continue;
    ++with;
    EXPECT_LT(*c.parent, c.configuration / 16 * 16) << "measured in an earlier set";
    EXPECT_EQ(refined.parents.at(c.configuration), *c.parent);
  }
  EXPECT_GT(with, 20u);
  // The lineages of the first and the fourth set.
  std::set<uint32_t> roots;
  for (const Candidate& c : f.candidates)
    if (c.parent && c.configuration / 16 == 4) {
      uint32_t root = c.configuration;
      while (refined.parents.contains(root)) root = refined.parents.at(root);
      roots.insert(root / 16);
    }
  EXPECT_EQ(roots, (std::set<uint32_t>{0, 3}));
  EXPECT_TRUE(f.candidates[*f.winner].parent.has_value());
  EXPECT_FALSE(f.candidates[*f.median].parent.has_value()) << "the median is of what was drawn";
  r.refine = false;
  const Found g = search(r, drawn).value();
  EXPECT_TRUE(drawn.parents.empty());
  EXPECT_GT(f.candidates[*f.winner].now.rate, 1.3 * g.candidates[*g.winner].now.rate);
  r.refine = true;
  r.budget = 0;
  EXPECT_TRUE(search(r, once).has_value());
  EXPECT_TRUE(once.parents.empty()) << "one set alone is drawn";
}

TEST(Tune, NeighboursDifferInAFewParameters) {
  Space space;
  space.target.units = 132;
  space.target.subgroup = 32;
  space.target.max_lanes = 1024;
  space.given.fix(plan::ParameterId::stride, 2);
  const plan::Parameters parent = draw_configuration(space, 5, 7);
  std::set<size_t> seen;
  for (uint32_t k = 100; k < 300; ++k) {
    const plan::Parameters p = draw_neighbour(space, 5, k, parent), fresh = draw_configuration(space, 5, k);
    EXPECT_EQ(p, draw_neighbour(space, 5, k, parent));
    size_t changes = 0;
    for (size_t i = 0; i < plan::k_parameters; ++i) {
      if (p.wishes[i] == parent.wishes[i]) continue;
      EXPECT_EQ(p.wishes[i], fresh.wishes[i]);
      ++changes;
      seen.insert(i);
    }
    EXPECT_GE(changes, 1u);
    EXPECT_LE(changes, 4u);
  }
  EXPECT_GE(seen.size(), 20u) << "every parameter that is drawn";
  EXPECT_FALSE(seen.contains(static_cast<size_t>(plan::ParameterId::stride))) << "what the user gives stays";
}

TEST(Tune, AConfigurationThatDoesNotFitGivesWay) {
  plan::Parameters p;
  p.fix(plan::ParameterId::rounds, 32);
  p.wishes[static_cast<size_t>(plan::ParameterId::groups)] = plan::Wish{96, 128};
  const auto most = [](uint32_t groups, uint32_t rounds) {
    return [=](const plan::Parameters& q) {
      const auto& g = q.wishes[static_cast<size_t>(plan::ParameterId::groups)];
      const auto& r = q.wishes[static_cast<size_t>(plan::ParameterId::rounds)];
      return (!g || g->to <= groups) && (!r || r->to <= rounds);
    };
  };
  EXPECT_EQ(plan::to_string(plan::fitted(p, most(128, 32))), "groups=96..128,rounds=32");
  EXPECT_EQ(plan::to_string(plan::fitted(p, most(128, 5))), "groups=96..128,rounds=4");
  EXPECT_EQ(plan::to_string(plan::fitted(p, most(40, 100))), "groups=24..32,rounds=32");
  EXPECT_EQ(plan::to_string(plan::fitted(p, most(0, 100))), "rounds=32");
  EXPECT_EQ(plan::to_string(plan::fitted(p, most(70, 20))), "groups=48..64,rounds=16");
  // A test of one workgroup needs more invocations.
  p.fix(plan::ParameterId::lanes, 32);
  EXPECT_EQ(plan::to_string(plan::fitted(p,
                                         [](const plan::Parameters& q) {
                                           return q.wishes[static_cast<size_t>(plan::ParameterId::lanes)]->to >= 64;
                                         })),
            "groups=96..128,lanes=64,rounds=32");
  // A test with loops is split whatever the wish; memory alone changes no schedule.
  plan::Parameters fused;
  fused.fix(plan::ParameterId::rounds, 32);
  fused.fix(plan::ParameterId::schedule, 0);
  const auto schedule = [](const plan::Parameters& q) {
    return q.wishes[static_cast<size_t>(plan::ParameterId::schedule)];
  };
  const auto rounds = [](const plan::Parameters& q) {
    return q.wishes[static_cast<size_t>(plan::ParameterId::rounds)]->to;
  };
  EXPECT_EQ(
      plan::to_string(plan::fitted(fused, [&](const plan::Parameters& q) { return rounds(q) <= 4 || !schedule(q); })),
      "rounds=4,schedule=fused");
  EXPECT_EQ(
      plan::to_string(plan::fitted(fused, [&](const plan::Parameters& q) { return schedule(q) == plan::Wish{1, 1}; })),
      "rounds=32,schedule=split");
}

TEST(Tune, ReplaysCompareStrategiesOnStoredRounds) {
  std::vector<store::Trial> trials;
  Synthetic bench(spread(40), 3);
  for (uint32_t c = 0; c < 40; ++c) {
    store::Trial t;
    t.campaign = "eds";
    t.purpose = "explore";
    t.test = "SB";
    t.device = "d";
    t.configuration = std::to_string(c);
    t.rounds = value(bench.measure(c, 100));
    trials.push_back(t);
  }
  trials.push_back(trials.back());
  trials.back().purpose = "search";  // not part of the set
  const auto sets = data_sets(trials, 100);
  ASSERT_EQ(sets.size(), 1u);
  ASSERT_EQ(sets[0].rounds.size(), 40u);
  EXPECT_NEAR(sets[0].seconds(), 4, 1e-9);
  Job job;
  const auto out = replay(sets, rule(Strategy::halving, 64), 32, 1, job);
  ASSERT_EQ(out.size(), 4u);
  for (const Replayed& r : out) {
    EXPECT_EQ(r.repeats.size(), 32u);
    EXPECT_GE(r.within(0.05), 0.9) << r.method;
    if (r.method == "exhaustive") {
      EXPECT_DOUBLE_EQ(r.speed_up(), 1);
    } else {
      EXPECT_GT(r.speed_up(), 2) << r.method;
    }
  }
  EXPECT_NE(to_text(out, 32).find("halving: within 5 % of the best in 32 of 32 repeats"), std::string::npos);
}

// On a device: what is in the store is not measured again, and the results are computed from it.
TEST(Tune, ATaskGoesOnWhereItStopped) {
  Folder dir;
  auto store = value(store::Store::open(dir / "a.db"));
  Job job;
  const Task task = small_task("reference");
  const Report whole = value(conduct(task, store, job, {}));
  ASSERT_EQ(whole.tuned.size(), 1u);
  EXPECT_TRUE(whole.problems.empty());
  EXPECT_GT(whole.trials_added, 9u);
  const Tuned& t = whole.tuned[0];
  ASSERT_TRUE(t.found.winner);
  EXPECT_EQ(t.confirmed.size(), 3u);
  const Report again = value(conduct(task, store, job, {}));
  EXPECT_EQ(again.trials_added, 0u);
  EXPECT_EQ(again.trials_before, whole.trials_added);
  EXPECT_EQ(again.tuned[0].found.winner, t.found.winner);
  EXPECT_EQ(to_plan(task, again), to_plan(task, whole));
  // Another rule is another task.
  Task other = task;
  other.rule.first_rounds = 1;
  EXPECT_FALSE(conduct(other, store, job, {}));
  // Half of the store: the other half is measured, and nothing else.
  auto half = value(store::Store::open(dir / "b.db"));
  uint64_t kept = 0;
  for (const store::Trial& x : value(store.trials({.purpose = "search"})))
    if (x.part == 0) {
      value(half.add(x));
      ++kept;
    }
  const Report rest = value(conduct(task, half, job, {}));
  EXPECT_EQ(rest.trials_before, kept);
  EXPECT_GT(rest.trials_added, 0u);
}

TEST(Tune, AHangCostsItsConfigurationOnly) {
  Folder dir;
  auto store = value(store::Store::open(dir / "a.db"));
  Job job;
  Task task = small_task("reference:die");  // every child dies at its fifth launch
  task.kind = Task::Kind::explore;
  task.rule.configurations = 3;
  task.rule.rounds = 4;
  task.executions = 1;
  const Report r = value(conduct(task, store, job, {}));
  const auto trials = value(store.trials());
  ASSERT_EQ(trials.size(), 3u);
  for (const store::Trial& t : trials) {
    EXPECT_FALSE(t.lost.empty());
    EXPECT_TRUE(t.rounds.empty());
  }
}

TEST(Tune, AnAblationHasSixteenCells) {
  Folder dir;
  auto store = value(store::Store::open(dir / "a.db"));
  Job job;
  Task task = small_task("reference");
  task.kind = Task::Kind::ablate;
  task.given = {};
  task.cell_rounds = 2;
  task.memory_words = 1 << 14;
  const Report r = value(conduct(task, store, job, {}));
  ASSERT_EQ(r.ablated.size(), 1u) << (r.problems.empty() ? "" : render(r.problems[0].why));
  EXPECT_EQ(r.ablated[0].cells.size(), 16u);
  EXPECT_EQ(r.ablated[0].cells[5].critical, "bank");
  EXPECT_EQ(r.ablated[0].cells[5].extra, "random");
}
