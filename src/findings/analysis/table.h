#pragma once
// What was measured, by device, test and configuration, wherever it was measured: campaigns of our own, logs of
// litmus7, result sets that others have published. All statistics (analysis/analyse.h) and the report read this and
// nothing else.
//
// Laws. (1) A cell that was not measured is not a zero: `measured` says which it is. (2) `weak` counts instances with
// the outcome that the test asks about. (3) `rounds` and `gaps` are whole series or empty: a series with lost events
// would look stationary where it is cut. Units: seconds; rates per instance.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stats/sample.h"

namespace fencepost::analysis {

// Of all instances: threads ran one after another, or interleaved; what remains is weak (no interleaving explains it)
// or was not classified.
struct Split {
  uint64_t sequential = 0, interleaved = 0, weak = 0;
  bool operator==(const Split&) const = default;
};

struct Cell {
  bool measured = false;
  uint64_t weak = 0, instances = 0;
  double seconds = 0;  // 0: not known
  uint64_t corrupt = 0;
  std::optional<Split> split;
  std::map<std::string, uint64_t> states;  // of a litmus7 log: its histogram, by the text of the final state
  std::string what_ran;                    // of a log of `run`: what it says of that; else empty
  std::string how;                         // of a store: the lines mode, region and parameters of a plan; else empty
  std::vector<stats::Batch> batches;       // round groups, or runs of one test in a log, in order of time
  std::vector<double> rounds;              // weak outcomes of every round, in order of time
  std::vector<double> gaps;                // instances between one weak outcome and the next
  double rate() const { return instances == 0 ? 0 : static_cast<double>(weak) / static_cast<double>(instances); }
  double per_second() const { return seconds <= 0 ? 0 : static_cast<double>(weak) / seconds; }
};

struct Test {
  std::string name;
  std::string mutator;  // "": not a mutant
  std::string parent;   // of a mutant, where it is known
  std::string verdict;  // what the source says a model says: "allowed", "forbidden", or ""
  bool operator==(const Test&) const = default;
};

// What else a store says of a device.
struct Facts {
  std::set<std::string> drivers;
  std::map<std::string, std::set<std::string>> what_ran, evidence;  // -> tests
  uint64_t groups = 0, incomplete = 0, waits = 0, time_outs = 0;    // round groups, rounds of tuning
  double device_seconds = 0;                                        // in launches of tests
};

class Table {
 public:
  std::string name;    // of the file or folder
  std::string format;  // "store", "litmus7 log", ...
  // No counts: `weak` is 1 where the outcome was seen, and there are no rates.
  bool sightings = false;
  std::vector<std::string> devices, configurations;
  std::vector<Test> tests;
  // Configurations that did not run alike (a search gave them up early, or measured them again): they have rates, and
  // no say in what is compared between configurations.
  std::set<uint32_t> incomparable;
  std::vector<Facts> facts;          // of devices, parallel to them; empty where nothing is known
  std::vector<std::string> remarks;  // what the reader left out, and why

  uint32_t device(const std::string& name);  // its number; added when it is new
  uint32_t configuration(const std::string& name);
  uint32_t test(const std::string& name);
  Cell& at(uint32_t device, uint32_t test, uint32_t configuration);  // made when it is not there
  const Cell& at(uint32_t device, uint32_t test, uint32_t configuration) const;
  uint64_t instances() const;
  uint64_t weak() const;
  double seconds() const;
  size_t measured() const;  // cells

 private:
  std::vector<std::vector<std::vector<Cell>>> cells_;  // [device][test][configuration], ragged
};

// Only the tests, devices and configurations whose names are in the list; an empty list keeps all.
Table select(const Table& t, const std::vector<std::string>& tests, const std::vector<std::string>& devices,
             const std::vector<std::string>& configurations);

}  // namespace fencepost::analysis
