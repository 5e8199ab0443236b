#pragma once
// What a hunt found, from its store alone: counts by configuration, faults (new ones first), weakenings with the
// sentence that allows each, and how configurations of one target differ.
#include <map>
#include <string>
#include <vector>

#include "hunt/conduct.h"
#include "hunt/ledger.h"

namespace fencepost::hunt {

struct Counts {
  uint64_t tests = 0, right = 0, allowed = 0, fault = 0, named = 0, refused = 0, failed = 0;
};
struct Difference {  // two configurations of one target; of the tests that both compiled
  std::string one, other;
  uint64_t both = 0, same = 0, fault_in_one = 0, fault_in_other = 0, weakened_otherwise = 0;
};
struct Summary {
  std::string store;
  uint64_t seed = 0;
  bool complete = true;  // all tests that were asked for
  std::vector<std::pair<std::string, Counts>> counts;
  std::map<std::string, uint64_t> effects;   // name of a weakening or of something named -> findings
  std::map<std::string, uint64_t> unread;    // unknown opcodes and failures -> tests
  std::map<std::string, uint64_t> refusals;  // message -> tests, all configurations
  std::vector<Fault> faults;
  std::vector<Difference> differences;
};
Expected<Summary> summary_of(const Ledger& ledger, const std::string& store);

// One test and what it became; schema fencepost.hunt-test/1.
// `configuration`: its name, or the target of a record.
std::string json_of(const PtxTest& test, const std::string& configuration, const Judged& j);

std::string text_of(const Summary& s);
std::string json_of(const Summary& s);  // schema fencepost.hunt/1, docs/json.md

}  // namespace fencepost::hunt
