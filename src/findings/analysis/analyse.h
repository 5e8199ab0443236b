#pragma once
// All statistics of a table, as values. The formulas are ground/stats; here is what they are asked.
//
// Every rate has an interval. Where a cell has round groups, they are its samples: intervals are widened by the spread
// between them. Where many hypotheses are looked at, they are judged together: `rejected` by Benjamini and Hochberg,
// the bound of what was never seen also as one that holds for all such tests of the table at once (Sidak).
//
// Sources: OOPSLA 2020 (reproducibility, zero observations, false negatives, stationarity, portable parameters,
// correlation and priority, peeking), ASPLOS 2023 (death rates, budgets, merging of environments).
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/table.h"
#include "stats/correlate.h"
#include "stats/interval.h"
#include "stats/peek.h"
#include "stats/portable.h"

namespace fencepost::analysis {

struct Options {
  double level = 0.95;                                 // of intervals
  double reproducibility = 0.95;                       // asked for: iterations needed, zero observations
  double false_discovery = 0.05;                       // of all stationarity tests that are rejected
  std::vector<double> budgets = {1.0 / 64, 1, 4, 64};  // seconds a test
  double budget_reproducibility = 0.99999;
  uint64_t seed = 1;
};

// A test on a device over all configurations that were measured there.
struct Row {
  uint32_t device = 0, test = 0;
  uint32_t configurations = 0, seen_in = 0;
  uint64_t weak = 0, instances = 0, corrupt = 0;
  double seconds = 0;
  // ---- rates per instance over configurations ----
  double least = 0, median = 0, largest = 0;
  // ---- the configuration with the highest rate: per second where times are known, else per instance ----
  uint32_t best = 0;
  uint64_t best_weak = 0, best_instances = 0;
  stats::Interval best_rate, best_per_second;
  double dispersion = 1;       // between its round groups, at least 1
  double reproducibility = 0;  // of another run as long: 1 - e^-n
  double needed = 0;           // iterations at the best rate for Options::reproducibility; infinite when never seen
  // ---- over all configurations ----
  double redundant = 0;  // iterations beyond those needed, where the outcome was seen
  double missed = 0;     // configurations that saw it and would be expected to miss it, repeated
  uint32_t unsure = 0;   // configurations that saw it with less than Options::reproducibility
  // ---- never seen ----
  double bound = 0;         // of its rate
  double bound_of_all = 0;  // the same, true for all never seen tests at once
  double absence = 0;       // iterations that the zero-observation rule asks for; 0: it was seen nowhere
  bool absent = false;      // it ran that long
};

struct Steady {  // a cell whose series was tested
  uint32_t device = 0, test = 0, configuration = 0;
  const char* series = "";  // "inter-arrival counts", "weak outcomes by round", "rates by round group"
  stats::Stationarity test_of;
  double dispersion = 0;  // var/mean of the counts; rates: of the counts of round groups
  double adjusted = 1;    // p value
  bool rejected = false;
};

struct PortableRow {
  stats::Domain domain;
  std::array<stats::Portable, 3> by_metric;  // mfs, mlfs, mlfs_f
};

struct Correlation {
  uint32_t device = 0;
  std::vector<uint32_t> tests;  // that were seen there; indices of the table
  stats::Matrix r2;
  std::vector<uint32_t> priority;  // tests
  double least_r2 = 1;             // of two tests
};

struct Kill {
  std::string mutator;  // "": all
  uint32_t killed = 0, mutants = 0;
  double rate = 0;  // mean over mutants of the highest rate per second; 0 where there are no times
};

struct BudgetRow {
  double seconds = 0;
  uint32_t reproducible = 0, of = 0;  // of tests and devices
};

// How much more a cell's round groups scatter than independent instances of one rate would: at least 1.
double dispersion(const Cell& c);

struct PeekRow {
  uint32_t device = 0;
  uint32_t tests = 0;
  double speed_up_wald = 0, speed_up_expected = 0;                     // geometric means over tests
  uint32_t lost_none = 0, lost_wald = 0, lost_expected = 0, runs = 0;  // ended below 90 % of the best
};

struct Analysis {
  Options options;
  std::vector<Row> rows;                // tests by device
  uint32_t combinations = 0, seen = 0;  // of tests and devices
  double redundant = 0, instances_of_seen = 0;
  double missed = 0;       // expected
  uint32_t sightings = 0;  // cells with weak outcomes
  std::vector<Steady> steady;
  uint32_t unsteady_cells = 0;           // rejected
  std::vector<PortableRow> portable;     // empty below two configurations
  std::string portable_note;             // what was left out
  std::vector<Correlation> correlation;  // one a device with eight or more configurations and two tests
  std::vector<uint32_t> priority;        // over all devices, of tests seen on every one
  std::vector<Kill> kills;               // empty without mutants
  std::vector<Kill> kills_by_device;     // mutator: the device
  // With two to eight configurations (table 10 of OOPSLA 2020): under each, in the order of `kills`.
  std::vector<std::pair<uint32_t, std::vector<Kill>>> kills_by_configuration;
  std::vector<BudgetRow> budgets;  // where times are known
};
Analysis analyse(const Table& table, const Options& options);

// Random search over the configurations of the table, again and again: each sample is drawn at the rate that the table
// has, so stationarity is assumed. `samples`: N, of a configuration in full. Devices without a weak outcome are left
// out.
std::vector<PeekRow> replay_peeking(const Table& table, uint64_t samples, uint32_t peeks, uint32_t repeats,
                                    uint64_t seed);

// Counts comparable between configurations: rate times the median number of instances of a cell, and at least 1 where
// something was seen. (With raw counts a configuration that ran longer would look better.)
std::vector<stats::Combination> comparable_counts(const Table& table, std::vector<uint32_t>& configurations,
                                                  std::string& note);

}  // namespace fencepost::analysis
