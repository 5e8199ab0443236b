#include "analysis/analyse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stats/reproduce.h"
#include "stats/sample.h"

namespace fencepost::analysis {
namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();

std::vector<double> events_of(const std::vector<stats::Batch>& batches) {
  std::vector<double> out;
  for (const stats::Batch& b : batches) out.push_back(b.events);
  return out;
}

Row row_of(const Table& t, uint32_t device, uint32_t test, const Options& o) {
  Row r;
  r.device = device;
  r.test = test;
  std::vector<double> rates;
  const Cell* best = nullptr;
  std::vector<stats::Seen> seen;
  bool timed = false;
  for (uint32_t c = 0; c < t.configurations.size(); ++c) timed = timed || t.at(device, test, c).seconds > 0;
  for (uint32_t c = 0; c < t.configurations.size(); ++c) {
    const Cell& cell = t.at(device, test, c);
    if (!cell.measured) continue;
    ++r.configurations;
    r.weak += cell.weak;
    r.instances += cell.instances;
    r.corrupt += cell.corrupt;
    r.seconds += cell.seconds;
    rates.push_back(cell.rate());
    const auto better = [&](const Cell& a, const Cell& b) {
      return timed ? a.per_second() > b.per_second() : a.rate() > b.rate();
    };
    if (best == nullptr || better(cell, *best)) {
      best = &cell;
      r.best = c;
    }
    if (cell.weak == 0) continue;
    ++r.seen_in;
    if (t.sightings) continue;
    seen.push_back({1, static_cast<double>(cell.weak), static_cast<double>(cell.instances)});
    r.redundant += stats::redundant_iterations(cell.weak, cell.instances, o.reproducibility);
    if (stats::reproducibility(cell.weak, cell.instances) < o.reproducibility) ++r.unsure;
  }
  if (best == nullptr || t.sightings) return r;
  r.least = *std::min_element(rates.begin(), rates.end());
  r.largest = *std::max_element(rates.begin(), rates.end());
  r.median = stats::median(rates);
  r.best_weak = best->weak;
  r.best_instances = best->instances;
  r.dispersion = dispersion(*best);
  r.best_rate = stats::wilson_dispersed(best->weak, best->instances, r.dispersion, o.level);
  if (best->seconds > 0)
    r.best_per_second = stats::poisson_dispersed(best->weak, best->seconds, r.dispersion, o.level);
  else
    r.best_per_second = {0, 0};
  r.reproducibility = stats::reproducibility(best->weak, best->instances);
  r.needed = best->weak == 0 ? k_never : stats::iterations_needed(best->rate(), o.reproducibility);
  r.missed = stats::false_negatives(seen);
  r.bound = r.weak == 0 ? stats::zero_event_bound(r.instances, o.level) : 0;
  return r;
}

// A test that was never seen on a device must run as long as was needed on the devices that saw it, each at its best; a
// test that was seen nowhere, as long as its mutants needed there.
void judge_absences(const Table& t, Analysis& a) {
  uint32_t never = 0;
  for (const Row& r : a.rows) never += r.weak == 0 && r.instances > 0 ? 1 : 0;
  for (Row& r : a.rows) {
    if (r.weak > 0 || r.instances == 0) continue;
    r.bound_of_all =
        stats::zero_event_bound(r.instances, std::pow(a.options.level, 1.0 / static_cast<double>(std::max(1u, never))));
    std::vector<double> rates;
    for (const Row& other : a.rows)
      if (other.test == r.test && other.largest > 0) rates.push_back(other.largest);
    if (rates.empty())
      for (const Row& other : a.rows)
        if (other.device == r.device && other.largest > 0 && t.tests[other.test].parent == t.tests[r.test].name &&
            !t.tests[other.test].parent.empty())
          rates.push_back(other.largest);
    if (rates.empty()) continue;
    r.absence = stats::iterations_for_absence(rates, a.options.reproducibility);
    r.absent = static_cast<double>(r.instances) >= r.absence;
  }
}

void test_stationarity(const Table& t, Analysis& a) {
  for (uint32_t d = 0; d < t.devices.size(); ++d)
    for (uint32_t k = 0; k < t.tests.size(); ++k)
      for (uint32_t c = 0; c < t.configurations.size(); ++c) {
        const Cell& cell = t.at(d, k, c);
        if (!cell.measured || cell.weak == 0) continue;
        Steady s;
        s.device = d;
        s.test = k;
        s.configuration = c;
        if (!cell.rounds.empty()) {
          // In parallel mode a round holds many instances at once, and the order within one is not the order of time.
          const bool parallel = static_cast<double>(cell.instances) > 2 * static_cast<double>(cell.rounds.size());
          s.series = parallel ? "weak outcomes by round" : "inter-arrival counts";
          s.test_of = stats::stationarity(parallel ? cell.rounds : cell.gaps);
          s.dispersion = stats::index_of_dispersion(cell.rounds);
        } else if (cell.batches.size() > 1) {
          std::vector<double> rates;
          for (const stats::Batch& b : cell.batches) rates.push_back(b.trials > 0 ? b.events / b.trials : 0);
          s.series = "rates by round group";
          s.test_of = stats::stationarity(rates);
          s.dispersion = stats::index_of_dispersion(events_of(cell.batches));
        } else {
          continue;
        }
        if (s.test_of.enough) a.steady.push_back(s);
      }
  std::vector<double> p;
  for (const Steady& s : a.steady) p.push_back(s.test_of.ks.p_value);
  const auto adjusted = stats::adjusted_p_values(p);
  for (size_t i = 0; i < a.steady.size(); ++i) {
    a.steady[i].adjusted = adjusted[i];
    a.steady[i].rejected = adjusted[i] <= a.options.false_discovery;
    a.unsteady_cells += a.steady[i].rejected ? 1 : 0;
  }
}

void find_portable(const Table& t, Analysis& a) {
  std::vector<uint32_t> configurations;
  const auto combinations = comparable_counts(t, configurations, a.portable_note);
  if (combinations.empty() || configurations.size() < 2) return;
  for (const auto domain :
       {stats::Domain::global, stats::Domain::device, stats::Domain::test, stats::Domain::combination}) {
    PortableRow row{domain, {}};
    for (const auto metric : {stats::Metric::mfs, stats::Metric::mlfs, stats::Metric::mlfs_f}) {
      auto p = stats::portable(combinations, metric, domain);
      for (uint32_t& c : p.configuration) c = configurations[c];
      row.by_metric[static_cast<size_t>(metric)] = std::move(p);
    }
    a.portable.push_back(std::move(row));
  }
}

void correlate(const Table& t, Analysis& a) {
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    Correlation c;
    c.device = d;
    std::vector<uint32_t> configurations;
    for (uint32_t k = 0; k < t.configurations.size(); ++k) {
      bool everywhere = !t.incomparable.contains(k);
      for (const Row& r : a.rows)
        everywhere = everywhere && (r.device != d || r.weak == 0 || t.at(d, r.test, k).measured);
      if (everywhere) configurations.push_back(k);
    }
    if (configurations.size() < 8) continue;  // of fewer points R² says little
    stats::Matrix rates;
    for (const Row& r : a.rows) {
      if (r.device != d || r.weak == 0) continue;
      std::vector<double> of_test;
      bool seen = false;
      for (uint32_t k : configurations) {
        of_test.push_back(t.at(d, r.test, k).rate());
        seen = seen || of_test.back() > 0;
      }
      if (!seen) continue;
      c.tests.push_back(r.test);
      rates.push_back(std::move(of_test));
    }
    if (c.tests.size() < 2) continue;
    c.r2 = stats::r_squared_matrix(rates);
    for (size_t i : stats::priority_order(c.r2)) c.priority.push_back(c.tests[i]);
    for (size_t i = 0; i < c.tests.size(); ++i)
      for (size_t j = 0; j < i; ++j) c.least_r2 = std::min(c.least_r2, c.r2[i][j]);
    a.correlation.push_back(std::move(c));
  }
  // Tests that all devices have: the order that serves them all.
  if (a.correlation.size() < 2) return;
  std::vector<uint32_t> common;
  for (uint32_t test : a.correlation.front().tests)
    if (std::all_of(a.correlation.begin(), a.correlation.end(), [&](const Correlation& c) {
          return std::find(c.tests.begin(), c.tests.end(), test) != c.tests.end();
        }))
      common.push_back(test);
  if (common.size() < 2) return;
  std::vector<stats::Matrix> devices;
  for (const Correlation& c : a.correlation) {
    stats::Matrix m;
    for (uint32_t x : common) {
      m.emplace_back();
      for (uint32_t y : common) {
        const auto at = [&](uint32_t test) {
          return static_cast<size_t>(std::find(c.tests.begin(), c.tests.end(), test) - c.tests.begin());
        };
        m.back().push_back(c.r2[at(x)][at(y)]);
      }
    }
    devices.push_back(std::move(m));
  }
  for (size_t i : stats::global_priority_order(devices)) a.priority.push_back(common[i]);
}

void count_kills(const Table& t, Analysis& a) {
  std::map<std::string, Kill> by_mutator, by_device;
  Kill all;
  for (const Row& r : a.rows) {
    const std::string& mutator = t.tests[r.test].mutator;
    if (mutator.empty()) continue;
    double rate = 0;
    for (uint32_t c = 0; c < t.configurations.size(); ++c)
      rate = std::max(rate, t.at(r.device, r.test, c).per_second());
    for (Kill* k : {&by_mutator[mutator], &by_device[t.devices[r.device]], &all}) {
      ++k->mutants;
      k->killed += r.weak > 0 ? 1 : 0;
      k->rate += rate;
    }
  }
  if (all.mutants == 0) return;
  const auto done = [](Kill k, const std::string& name) {
    k.mutator = name;
    k.rate /= static_cast<double>(k.mutants);
    return k;
  };
  for (const auto& [name, k] : by_mutator) a.kills.push_back(done(k, name));
  a.kills.push_back(done(all, ""));
  for (const std::string& d : t.devices)
    if (by_device.contains(d)) a.kills_by_device.push_back(done(by_device[d], d));
  if (t.configurations.size() < 2 || t.configurations.size() > 8) return;
  for (uint32_t c = 0; c < t.configurations.size(); ++c) {
    std::vector<Kill> under;
    for (const Kill& k : a.kills) {
      Kill own{k.mutator, 0, 0, 0};
      for (const Row& r : a.rows) {
        const std::string& mutator = t.tests[r.test].mutator;
        const Cell& cell = t.at(r.device, r.test, c);
        if (mutator.empty() || !cell.measured || (!k.mutator.empty() && mutator != k.mutator)) continue;
        ++own.mutants;
        own.killed += cell.weak > 0 ? 1 : 0;
        own.rate += cell.per_second();
      }
      if (own.mutants > 0) own.rate /= own.mutants;
      under.push_back(std::move(own));
    }
    a.kills_by_configuration.emplace_back(c, std::move(under));
  }
}

// MC Mutants, figure 6: for each test the one configuration that meets the target on most devices.
void spend_budgets(const Table& t, Analysis& a) {
  if (t.seconds() <= 0) return;
  for (double seconds : a.options.budgets) {
    BudgetRow row{seconds, 0, 0};
    const double target = stats::target_rate(a.options.budget_reproducibility, seconds);
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      std::vector<std::vector<double>> rates;
      for (uint32_t d = 0; d < t.devices.size(); ++d) {
        rates.emplace_back();
        bool measured = false;
        for (uint32_t c = 0; c < t.configurations.size(); ++c) {
          rates.back().push_back(t.at(d, k, c).per_second());
          measured = measured || t.at(d, k, c).measured;
        }
        row.of += measured ? 1 : 0;
      }
      const auto best = stats::merge_by_target(rates, target);
      if (!best) continue;
      for (const auto& device : rates) row.reproducible += device[*best] >= target ? 1 : 0;
    }
    a.budgets.push_back(row);
  }
}

}  // namespace

// Round groups have unequal numbers of instances: what is compared is how far their counts lie from what the common
// rate makes them expect, chi-squared over degrees of freedom.
double dispersion(const Cell& c) {
  if (c.batches.size() < 2 || c.weak == 0) return 1;
  const double rate = c.rate();
  double sum = 0;
  size_t n = 0;
  for (const stats::Batch& b : c.batches) {
    const double expected = rate * b.trials;
    if (expected <= 0) continue;
    sum += (b.events - expected) * (b.events - expected) / expected;
    ++n;
  }
  return n < 2 ? 1 : std::max(1.0, sum / static_cast<double>(n - 1));
}

std::vector<stats::Combination> comparable_counts(const Table& t, std::vector<uint32_t>& configurations,
                                                  std::string& note) {
  configurations.clear();
  note.clear();
  if (t.sightings) return {};
  const auto measured = [&](uint32_t d, uint32_t k, uint32_t c) {
    return t.at(d, k, c).measured && !t.incomparable.contains(c);
  };
  using Members = std::vector<std::pair<uint32_t, uint32_t>>;
  const auto common = [&](const Members& members) {
    std::vector<uint32_t> out;
    for (uint32_t c = 0; c < t.configurations.size(); ++c)
      if (std::all_of(members.begin(), members.end(), [&](const auto& m) { return measured(m.first, m.second, c); }))
        out.push_back(c);
    return out;
  };
  // A combination that no configuration shows has no say. One that lacks many configurations which others have cuts
  // them for all; it stays while enough remain.
  constexpr size_t k_enough = 30;
  Members kept;
  std::vector<size_t> sizes;
  size_t all = 0;
  for (uint32_t c = 0; c < t.configurations.size(); ++c) {
    bool any = false;
    for (uint32_t d = 0; d < t.devices.size() && !any; ++d)
      for (uint32_t k = 0; k < t.tests.size() && !any; ++k) any = measured(d, k, c);
    all += any ? 1 : 0;
  }
  for (uint32_t d = 0; d < t.devices.size(); ++d)
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      size_t n = 0;
      bool seen = false;
      for (uint32_t c = 0; c < t.configurations.size(); ++c) {
        n += measured(d, k, c) ? 1 : 0;
        seen = seen || (measured(d, k, c) && t.at(d, k, c).weak > 0);
      }
      if (!seen) continue;
      kept.emplace_back(d, k);
      sizes.push_back(n);
    }
  if (kept.empty()) return {};
  configurations = common(kept);
  if (configurations.size() < std::min(k_enough, all)) {
    std::vector<size_t> sorted = sizes;
    std::sort(sorted.begin(), sorted.end());
    const size_t usual = sorted[sorted.size() / 2];
    Members fuller;
    for (size_t i = 0; i < kept.size(); ++i)
      if (4 * sizes[i] >= 3 * usual) fuller.push_back(kept[i]);
    if (fuller.size() < kept.size()) {
      note = fmt::format(
          "{} combinations of test and device are left out: they have far fewer than the {} configurations of the "
          "others",
          kept.size() - fuller.size(), usual);
      kept = std::move(fuller);
      configurations = common(kept);
    }
  }
  if (configurations.size() < all)
    note += fmt::format("{}{} of {} configurations were measured everywhere, and are compared",
                        note.empty() ? "" : "; ", configurations.size(), all);
  if (configurations.empty()) return {};
  std::vector<double> instances;
  for (const auto& [d, k] : kept)
    for (uint32_t c : configurations) instances.push_back(static_cast<double>(t.at(d, k, c).instances));
  const double n = std::max(1.0, stats::median(instances));
  std::vector<stats::Combination> out;
  for (const auto& [d, k] : kept) {
    stats::Combination x{d, k, {}};
    for (uint32_t c : configurations) {
      const Cell& cell = t.at(d, k, c);
      x.counts.push_back(cell.weak == 0 ? 0 : std::max(1.0, cell.rate() * n));
    }
    out.push_back(std::move(x));
  }
  return out;
}

Analysis analyse(const Table& table, const Options& options) {
  Analysis a;
  a.options = options;
  for (uint32_t d = 0; d < table.devices.size(); ++d)
    for (uint32_t k = 0; k < table.tests.size(); ++k) {
      Row r = row_of(table, d, k, options);
      if (r.configurations == 0) continue;
      ++a.combinations;
      a.seen += r.weak > 0 ? 1 : 0;
      a.sightings += r.seen_in;
      a.redundant += r.redundant;
      a.missed += r.missed;
      for (uint32_t c = 0; c < table.configurations.size(); ++c)
        if (table.at(d, k, c).weak > 0) a.instances_of_seen += static_cast<double>(table.at(d, k, c).instances);
      a.rows.push_back(r);
    }
  count_kills(table, a);
  if (table.sightings) return a;
  judge_absences(table, a);
  test_stationarity(table, a);
  find_portable(table, a);
  correlate(table, a);
  spend_budgets(table, a);
  return a;
}

}  // namespace fencepost::analysis
