#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "analysis/read.h"
#include "analysis/tell.h"
#include "base/source.h"
#include "stats/reproduce.h"

using namespace fencepost;
using namespace fencepost::analysis;

namespace {

Cell cell(uint64_t weak, uint64_t instances, double seconds = 1) {
  Cell c;
  c.measured = true;
  c.weak = weak;
  c.instances = instances;
  c.seconds = seconds;
  return c;
}

// Two devices, three configurations. A is frequent; B is rare, and never seen on the second device; C is a mutant of B.
Table small() {
  Table t;
  t.name = "small";
  t.format = "test";
  const uint32_t x = t.device("x"), y = t.device("y");
  const uint32_t a = t.test("A"), b = t.test("B"), c = t.test("C");
  for (const char* name : {"one", "two", "three"}) t.configuration(name);
  t.tests[c].mutator = "weaken-sw";
  t.tests[c].parent = "B";
  const uint64_t counts[2][3][3] = {{{100, 50, 10}, {0, 3, 1}, {0, 0, 0}}, {{40, 80, 0}, {0, 0, 0}, {7, 0, 0}}};
  for (uint32_t d : {x, y})
    for (uint32_t k : {a, b, c})
      for (uint32_t f = 0; f < 3; ++f) t.at(d, k, f) = cell(counts[d][k][f], 1000);
  return t;
}

const Row& row(const Analysis& a, uint32_t device, uint32_t test) {
  for (const Row& r : a.rows)
    if (r.device == device && r.test == test) return r;
  std::abort();
}

}  // namespace

TEST(Analyse, Rates) {
  const Analysis a = analyse(small(), {});
  EXPECT_EQ(a.combinations, 6u);
  EXPECT_EQ(a.seen, 4u);
  const Row& r = row(a, 0, 0);
  EXPECT_EQ(r.weak, 160u);
  EXPECT_EQ(r.seen_in, 3u);
  EXPECT_DOUBLE_EQ(r.least, 0.01);
  EXPECT_DOUBLE_EQ(r.median, 0.05);
  EXPECT_DOUBLE_EQ(r.largest, 0.1);
  EXPECT_EQ(r.best, 0u);
  EXPECT_EQ(r.best_rate, stats::wilson(100, 1000));
  EXPECT_LT(r.best_per_second.lower, 100);
  EXPECT_GT(r.best_per_second.upper, 100);
}

TEST(Analyse, Reproducibility) {
  const Analysis a = analyse(small(), {});
  const Row& b = row(a, 0, 1);
  EXPECT_NEAR(b.reproducibility, 1 - std::exp(-3), 1e-3);  // three sightings: 95 %
  EXPECT_EQ(b.needed, std::ceil(std::log(0.05) / std::log(1 - 0.003)));
  EXPECT_EQ(b.unsure, 1u);  // one sighting in `three`: 63 %
  // Both sightings of B may be missed: e^-3 and e^-1, nearly.
  EXPECT_NEAR(b.missed, std::pow(0.997, 1000) + std::pow(0.999, 1000), 1e-9);
  EXPECT_NEAR(row(a, 0, 0).redundant,
              3000 - (std::ceil(std::log(.05) / std::log(.9)) + std::ceil(std::log(.05) / std::log(.95)) +
                      std::ceil(std::log(.05) / std::log(.99))),
              1e-6);
}

TEST(Analyse, ZeroObservationRule) {
  const Analysis a = analyse(small(), {});
  const Row& b = row(a, 1, 1);  // seen on x at best with 0.003: 997 iterations are asked for, and 3000 ran
  EXPECT_EQ(b.absence, 998 - (std::ceil(std::log(0.05) / std::log(1 - 0.003)) == 997 ? 1 : 0));
  EXPECT_TRUE(b.absent);
  EXPECT_NEAR(b.bound, 1 - std::pow(0.05, 1.0 / 3000), 1e-12);
  EXPECT_GT(b.bound_of_all, b.bound);
  EXPECT_NEAR(b.bound_of_all, 1 - std::pow(1 - std::sqrt(0.95), 1.0 / 3000), 1e-12);  // two tests were never seen
  const Row& c = row(a, 0, 2);
  EXPECT_GT(c.absence, 0);
  Table t = small();
  for (uint32_t f = 0; f < 3; ++f) t.at(1, 1, f).instances = 100;
  EXPECT_FALSE(row(analyse(t, {}), 1, 1).absent);
}

TEST(Analyse, AMutantStandsInForATestThatNobodySaw) {
  Table t = small();
  for (uint32_t f = 0; f < 3; ++f) t.at(0, 1, f).weak = 0;
  const Analysis a = analyse(t, {});
  EXPECT_EQ(row(a, 1, 1).absence, std::ceil(std::log(0.05) / std::log(1 - 0.007)));  // C on the same device
  EXPECT_EQ(row(a, 0, 1).absence, 0);                                                // on x nobody saw C either
}

TEST(Analyse, PortableParametersByHand) {
  const Analysis a = analyse(small(), {});
  ASSERT_EQ(a.portable.size(), 4u);
  const auto& global = a.portable[0].by_metric;
  // Sums: one 147, two 133, three 11. Logarithms: one 4.61+3.69+1.95, two 3.91+1.10+4.38, three 2.30+0.
  EXPECT_EQ(global[0].configuration[0], 0u);
  EXPECT_EQ(global[0].weak, 3u);  // A on both, C on y
  EXPECT_EQ(global[0].possible, 4u);
  EXPECT_EQ(global[1].configuration[0], 0u);
  EXPECT_EQ(global[2].weak, 3u);
  EXPECT_EQ(a.portable[3].by_metric[0].weak, 4u);  // each combination at its own best
}

TEST(Analyse, CountsOfUnequalRunsAreMadeComparable) {
  Table t;
  t.device("d");
  t.test("A");
  t.configuration("long");
  t.configuration("short");
  t.at(0, 0, 0) = cell(20, 100000);
  t.at(0, 0, 1) = cell(10, 1000);
  EXPECT_EQ(analyse(t, {}).portable[0].by_metric[0].configuration[0], 1u);
}

// A configuration that a search gave up early is frequent by chance; it has a rate, and no say in what is compared.
TEST(Analyse, IncomparableConfigurationsHaveNoSay) {
  Table t = small();
  const uint32_t lucky = t.configuration("search 7");
  t.incomparable.insert(lucky);
  for (uint32_t d = 0; d < 2; ++d)
    for (uint32_t k = 0; k < 3; ++k) t.at(d, k, lucky) = cell(9, 10, 0.001);
  const Analysis a = analyse(t, {});
  EXPECT_EQ(row(a, 0, 0).best, lucky);
  for (const PortableRow& p : a.portable)
    for (const auto& m : p.by_metric)
      for (uint32_t c : m.configuration) EXPECT_NE(c, lucky);
  EXPECT_EQ(select(t, {}, {}, {"search 7"}).incomparable.size(), 1u);
}

TEST(Analyse, CorrelationAndPriority) {
  Table t;
  t.device("d");
  for (const char* n : {"A", "B", "C"}) t.test(n);
  const uint64_t counts[3][8] = {
      {10, 20, 30, 40, 12, 22, 32, 42}, {11, 19, 31, 39, 13, 21, 33, 41}, {40, 10, 10, 45, 41, 11, 9, 44}};
  for (uint32_t f = 0; f < 8; ++f) {
    t.configuration(std::to_string(f));
    for (uint32_t k = 0; k < 3; ++k) t.at(0, k, f) = cell(counts[k][f], 1000);
  }
  const Analysis a = analyse(t, {});
  ASSERT_EQ(a.correlation.size(), 1u);
  EXPECT_GT(a.correlation[0].r2[0][1], 0.98);
  EXPECT_LT(a.correlation[0].r2[0][2], 0.1);
  EXPECT_EQ(a.correlation[0].priority.back(), 2u);
}

TEST(Analyse, KillsAndBudgets) {
  Table t;
  const uint32_t x = t.device("x"), y = t.device("y"), m = t.test("m"), n = t.test("n");
  t.tests[m].mutator = "reverse-po-loc";
  t.tests[n].mutator = "weaken-sw";
  t.configuration("one");
  t.configuration("two");
  t.at(x, m, 0) = cell(100, 1000, 2);  // 50/s
  t.at(x, m, 1) = cell(10, 1000, 1);
  t.at(y, m, 0) = cell(0, 1000, 1);
  t.at(y, m, 1) = cell(24, 1000, 1);
  t.at(x, n, 0) = cell(0, 1000, 1);
  t.at(x, n, 1) = cell(0, 1000, 1);
  t.at(y, n, 0) = cell(1, 1000, 1);
  t.at(y, n, 1) = cell(0, 1000, 1);
  Options o;
  o.budgets = {1, 2, 100};
  const Analysis a = analyse(t, o);
  ASSERT_EQ(a.kills.size(), 3u);
  EXPECT_EQ(a.kills[0].mutator, "reverse-po-loc");
  EXPECT_EQ(a.kills[0].killed, 2u);
  EXPECT_DOUBLE_EQ(a.kills[0].rate, (50 + 24) / 2.0);
  EXPECT_EQ(a.kills[1].killed, 1u);
  EXPECT_EQ(a.kills[2].killed, 3u);
  EXPECT_EQ(a.kills[2].mutants, 4u);
  ASSERT_EQ(a.kills_by_configuration.size(), 2u);
  EXPECT_EQ(a.kills_by_configuration[0].second[0].killed, 1u);  // m under `one`: on x alone
  EXPECT_EQ(a.kills_by_configuration[1].second[0].killed, 2u);
  EXPECT_EQ(a.kills_by_configuration[1].second[2].killed, 2u);
  EXPECT_EQ(a.kills_by_configuration[1].second[2].mutants, 4u);
  ASSERT_EQ(a.budgets.size(), 3u);
  // 99.999 % need 12 sightings: 12/s, 6/s, 0.12/s. m: `one` gives x alone 50/s, `two` gives 10/s and 24/s.
  EXPECT_EQ(a.budgets[0].reproducible, 1u);
  EXPECT_EQ(a.budgets[1].reproducible, 2u);
  EXPECT_EQ(a.budgets[2].reproducible, 3u);
  EXPECT_EQ(a.budgets[2].of, 4u);
}

TEST(Analyse, ADriftIsFoundAndASteadySeriesIsLeftAlone) {
  Table t;
  t.device("d");
  t.configuration("c");
  std::mt19937_64 random(7);
  for (uint32_t k = 0; k < 20; ++k) {
    t.test("T" + std::to_string(k));
    Cell& c = t.at(0, k, 0);
    c.measured = true;
    for (uint32_t r = 0; r < 400; ++r) {
      const double rate = k == 0 ? 0.5 + 3.0 * r / 400 : 2;  // only T0 drifts
      double n = 0;
      for (int i = 0; i < 10; ++i) n += static_cast<double>(random() >> 11) * 0x1p-53 < rate / 10 ? 1 : 0;
      c.rounds.push_back(n);
      c.weak += static_cast<uint64_t>(n);
      c.instances += 100;
    }
  }
  const Analysis a = analyse(t, {});
  ASSERT_EQ(a.steady.size(), 20u);
  EXPECT_EQ(a.unsteady_cells, 1u);
  EXPECT_TRUE(a.steady[0].rejected);
  EXPECT_STREQ(a.steady[0].series, "weak outcomes by round");
  EXPECT_EQ(a.steady[0].test_of.first, 80u);
  EXPECT_EQ(a.steady[0].test_of.last, 40u);
}

TEST(Analyse, SpreadBetweenRoundGroupsWidensIntervals) {
  Table t;
  t.device("d");
  t.test("A");
  t.configuration("c");
  Cell& c = t.at(0, 0, 0);
  c = cell(1000, 100000, 10);
  for (int i = 0; i < 10; ++i) c.batches.push_back({i % 2 == 0 ? 200.0 : 0.0, 10000, 1});
  const Row r = analyse(t, {}).rows[0];
  EXPECT_NEAR(r.dispersion, 10 * 100 * 100 / 100.0 / 9, 1e-9);
  EXPECT_LT(r.best_rate.lower, stats::wilson(1000, 100000).lower);
}

TEST(Replay, PeekingSavesWhereRatesDiffer) {
  Table t;
  t.device("d");
  t.test("A");
  for (uint32_t f = 0; f < 50; ++f) {
    t.configuration(std::to_string(f));
    t.at(0, 0, f) = cell(f == 31 ? 500 : 10 + f, 10000);
  }
  const auto rows = replay_peeking(t, 10000, 10, 16, 3);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GT(rows[0].speed_up_wald, 2);
  EXPECT_LT(rows[0].speed_up_wald, 10.01);  // a tenth of the samples is the least
  EXPECT_EQ(rows[0].lost_wald, 0u);
  EXPECT_EQ(rows[0].runs, 16u);
  EXPECT_EQ(replay_peeking(t, 10000, 10, 16, 3)[0].speed_up_wald, rows[0].speed_up_wald);
  EXPECT_TRUE(replay_peeking(t, 10000, 10, 16, 3)[0].lost_none == 0);
}

TEST(Tell, TextJsonAndCsv) {
  const Table t = small();
  const Analysis a = analyse(t, {});
  const std::string text = to_text(t, a, {}, {});
  for (const char* part :
       {"Rates of weak outcomes", "Reproducibility:", "Never seen:", "Portable parameters:", "Mutants:"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(text.find("B on y"), std::string::npos);
  EXPECT_EQ(to_text(t, a, {}, {Part::overview}).find("Mutants"), std::string::npos);
  EXPECT_NE(to_json(t, a, {}).find("\"fencepost.stats/1\""), std::string::npos);
  const std::string csv = to_csv(t, a);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 18);
  EXPECT_EQ(csv.find("small,x,A,one,100,1000,1,0.1,"), 0u) << csv;
}

// ---- published data -----------------------------------------------------------------------------------
// FENCEPOST_RESULTS names a folder with checkouts of reeselevine/mc-mutants-artifact, reeselevine/webgpu-litmus,
// ucsc-chpl/gpuharbor-artifact and reeselevine/cuda-litmus. docs/stats.md has the numbers and the commands.
namespace {

class Published : public testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("FENCEPOST_RESULTS");
    if (root == nullptr) GTEST_SKIP() << "FENCEPOST_RESULTS is not set: no published result sets to hold against";
    root_ = root;
  }
  Table load(const std::string& path) {
    auto t = read(root_ + "/" + path);
    if (!t) ADD_FAILURE() << render(t.error());
    return t ? std::move(*t) : Table();
  }
  static std::string order(const Table& t, const Correlation& c) {
    std::string out;
    for (uint32_t k : c.priority) out += (out.empty() ? "" : ">") + t.tests[k].name;
    return out;
  }
  std::string root_;
};

const std::vector<std::string> k_pte = {
    "Message Passing Default", "Load Buffer Default", "Store Default", "Store Buffer RMW", "Read RMW", "2+2 Write RMW"};
const std::vector<std::string> k_site = {"Message Passing Single Instance", "Load Buffer Single Instance",
                                         "Store Single Instance",           "Store Buffer Single Instance RMW",
                                         "Read Single Instance RMW",        "2+2 Write Single Instance RMW"};
const std::vector<std::string> k_plain = {"Message Passing Default", "Load Buffer Default", "Store Default",
                                          "Store Buffer Default",    "Read Default",        "2+2 Write Default"};

}  // namespace

TEST_F(Published, KillTable) {
  const std::tuple<const char*, uint32_t, double> rows[] = {
      {"site_baseline", 8, 2.84}, {"site", 59, 11.93}, {"pte_baseline", 93, 24437}, {"pte", 107, 35006}};
  for (const auto& [environment, killed, rate] : rows) {
    const Analysis a = analyse(load(std::string("mc-mutants-artifact/") + environment), {});
    ASSERT_FALSE(a.kills.empty());
    EXPECT_EQ(a.kills.back().killed, killed) << environment;
    EXPECT_EQ(a.kills.back().mutants, 128u);
    EXPECT_NEAR(a.kills.back().rate, rate, rate / 500) << environment;
  }
}

TEST_F(Published, Budgets) {
  const Analysis pte = analyse(load("mc-mutants-artifact/pte"), {}),
                 site = analyse(load("mc-mutants-artifact/site"), {});
  const auto share = [](const BudgetRow& b) { return std::round(1000.0 * b.reproducible / b.of) / 10; };
  ASSERT_EQ(pte.budgets.size(), 4u);
  const double expected_pte[] = {43.8, 75.8, 77.3, 82.0}, expected_site[] = {0, 18.8, 32.8, 43.0};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(share(pte.budgets[i]), expected_pte[i]);
    EXPECT_DOUBLE_EQ(share(site.budgets[i]), expected_site[i]);
  }
}

TEST_F(Published, PriorityOrders) {
  const auto names = [&](const std::vector<std::string>& tests, std::initializer_list<size_t> which) {
    std::string out;
    for (size_t i : which) out += (out.empty() ? "" : ">") + tests[i];
    return out;
  };
  // indices: MP 0, LB 1, S 2, SB 3, R 4, 2+2W 5
  const Table pte = select(load("mc-mutants-artifact/pte"), k_pte, {}, {});
  for (const Correlation& c : analyse(pte, {}).correlation) {
    if (pte.devices[c.device] == "nvidia") {
      EXPECT_EQ(order(pte, c), names(k_pte, {3, 4, 2, 1, 0, 5}));
      EXPECT_GE(c.least_r2, 0.67);
    }
    if (pte.devices[c.device] == "m1") {
      EXPECT_EQ(order(pte, c), names(k_pte, {1, 0, 3, 2, 4, 5}));
      EXPECT_GE(c.least_r2, 0.90);
    }
  }
  const Table site = select(load("mc-mutants-artifact/site"), k_site, {}, {});
  for (const Correlation& c : analyse(site, {}).correlation) {
    if (site.devices[c.device] == "intel") EXPECT_EQ(order(site, c), names(k_site, {3, 5, 4, 0, 1, 2}));
    if (site.devices[c.device] == "amd") EXPECT_EQ(order(site, c), names(k_site, {1, 5, 2, 0}));
  }
}

TEST_F(Published, PortabilityCounts) {
  struct Expected {
    const char* path;
    const std::vector<std::string>* tests;
    uint32_t mfs, mlfs, mlfs_f, possible, by_device;
  };
  for (const Expected& e : {Expected{"webgpu-litmus/results", &k_plain, 13, 17, 19, 23, 21},
                            Expected{"mc-mutants-artifact/site", &k_site, 5, 8, 10, 10, 10},
                            Expected{"mc-mutants-artifact/pte", &k_pte, 13, 24, 24, 24, 24},
                            Expected{"gpuharbor-artifact/dbs/vulkan.db", &k_plain, 14, 14, 19, 22, 22}}) {
    const Analysis a = analyse(select(load(e.path), *e.tests, {}, {}), {});
    ASSERT_EQ(a.portable.size(), 4u) << e.path;
    EXPECT_EQ(a.portable[0].by_metric[0].weak, e.mfs) << e.path;
    EXPECT_EQ(a.portable[0].by_metric[1].weak, e.mlfs) << e.path;
    EXPECT_EQ(a.portable[0].by_metric[2].weak, e.mlfs_f) << e.path;
    EXPECT_EQ(a.portable[0].by_metric[0].possible, e.possible) << e.path;
    EXPECT_EQ(a.portable[1].by_metric[2].weak, e.by_device) << e.path;
  }
}

TEST_F(Published, PeekingSpeedUps) {
  const auto between = [](const Table& t, uint64_t samples, double least, double most) {
    for (const PeekRow& r : replay_peeking(t, samples, 10, 16, 1)) {
      EXPECT_GE(r.speed_up_wald, least) << t.name << " " << t.devices[r.device];
      EXPECT_LE(r.speed_up_wald, most) << t.name << " " << t.devices[r.device];
    }
  };
  between(select(load("webgpu-litmus/results"), k_plain, {}, {}), 10000, 4.8, 7.5);
  between(select(load("mc-mutants-artifact/site"), k_site, {"intel", "amd"}, {}), 10000, 5.9, 6.7);
  const Table pte = load("mc-mutants-artifact/pte");
  between(select(pte, k_pte, {"intel"}, {}), 10000, 1.0, 1.05);
  between(select(pte, k_pte, {}, {}), 10'000'000, 5.0, 7.5);
}

TEST_F(Published, SightingsOfNvidiaGpus) {
  const Table t = load("cuda-litmus/pldi26-output/results.csv");
  ASSERT_EQ(t.tests.size(), 1306u);
  uint32_t seen[3] = {}, outside = 0, strengthened_never = 0;
  for (uint32_t k = 0; k < t.tests.size(); ++k) {
    bool any = false;
    for (uint32_t d = 0; d < 3; ++d) {
      seen[d] += t.at(d, k, 0).weak > 0 ? 1 : 0;
      any = any || t.at(d, k, 0).weak > 0;
    }
    outside += any && t.tests[k].verdict != "allowed/allowed" ? 1 : 0;
    strengthened_never += !any && t.tests[k].verdict == "allowed/forbidden" ? 1 : 0;
  }
  EXPECT_EQ(seen[0], 559u);
  EXPECT_EQ(seen[1], 559u);
  EXPECT_EQ(seen[2], 413u);
  EXPECT_EQ(outside, 0u);
  EXPECT_EQ(strengthened_never, 156u);
}
