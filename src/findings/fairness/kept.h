#pragma once
// The runs of progress tests that stores keep, sorted for tables and pages: for each test and column (device, variant,
// mapping) how often it ran, how it ended and who starved. `progress run` writes them (trial/session.h).
//
// A column is a device, a variant with its options ("inter-workgroup order=seq_cst"), and a mapping. The number of
// launched invocations belongs to the column only where one test ran with several under it, since plain launches as
// many as the test has threads.
//
// Laws. A run that several stores hold counts once. A program that an assembler changed counts for nothing and is
// counted in `dropped`. Tests come in the order of their names, numbers in them by value; columns by device, variant,
// mapping.
#include <cstdint>
#include <string>
#include <vector>

#include "axb/test.h"
#include "fair/model.h"
#include "fairness/summary.h"
#include "oracle/oracle.h"
#include "store/store.h"

namespace fencepost::fairness {

struct Column {
  std::string device, variant, mapping;
  std::string driver;                         // of its last run
  double least_limit = 0, largest_limit = 0;  // of the watchdog, seconds
  exports::Order order = exports::Order::relaxed;
  bool any_order = false;
};
struct Cell {
  uint32_t test = 0, column = 0;
  Runs runs;
  trial::ThreadSet waiting = 0, unstarted = 0;  // in any of them
  uint64_t instances = 0, starved_instances = 0;
  double seconds = 0;
};
struct Kept {
  std::vector<axb::Test> tests;
  std::vector<Column> columns;
  std::vector<Cell> cells;  // by test, then column
  uint64_t runs = 0, dropped = 0;
};

// What to look at; empty: all.
struct Choice {
  std::vector<std::string> tests, devices, mappings;
};

// Errors: those of the stores; a run of a test that the store does not have; a name of the choice that nothing has.
Expected<Kept> kept_runs(const std::vector<store::Store>& stores, const Choice& choice);

// ---- devices by variants: how many tests starved ------------------------------------------------------------
struct ColumnRow {
  uint32_t column = 0;
  uint32_t tests = 0, never = 0, sometimes = 0, always = 0, hung = 0;  // hung: tests with a hung run
  uint32_t weak = 0, weak_starved = 0, strong = 0, strong_starved = 0;
  uint64_t runs = 0;
  double seconds = 0;  // of the launches
};
// One device under one variant, over its mappings.
struct Group {
  std::string device, variant;
  Summary summary;
};
struct Survey {
  std::vector<fair::Model> models;                  // those asked about
  std::vector<std::vector<oracle::Pair>> verdicts;  // by test, then model
  std::vector<bool> weak;                           // by test: it ends under weak FAIR
  std::vector<ColumnRow> rows;
  std::vector<Group> groups;
};
// Errors: those of the models; a test with too many states to decide (unsupported).
Expected<Survey> survey(const Kept& kept, const std::vector<fair::Model>& models);

std::string to_text(const Kept& kept, const Survey& s);  // of `stats`
std::string to_csv(const Kept& kept, const Survey& s);   // a row for each cell
std::string to_json(const Kept& kept, const Survey& s);  // fencepost.progress.stats/1

// Of `judge`: each group and what it says of the models.
std::string judged_text(const Kept& kept, const Survey& s);
std::string judged_csv(const Kept& kept, const Survey& s);
std::string judged_markdown(const Kept& kept, const Survey& s);
std::string judged_json(const Kept& kept, const Survey& s);  // fencepost.progress.judge/1
bool violates(const Survey& s);                              // a model, on any device

}  // namespace fencepost::fairness
