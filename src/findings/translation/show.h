#pragma once
// What a hunt for compiled programs found, from its store alone: counts by configuration, faults with the programs that
// each explains, and what could not be judged, by its words.
#include <map>
#include <string>
#include <vector>

#include "hunt/ledger.h"
#include "hunt/report.h"
#include "translation/judge.h"

namespace fencepost::translation {

struct Counts {
  uint64_t tests = 0, right = 0, fault = 0, vacuous = 0, undecided = 0, named = 0, refused = 0, failed = 0;
};
struct Summary {
  std::string store, language;
  uint64_t seed = 0, unexplained = 0;
  bool complete = true;  // all programs that were asked for
  std::vector<std::pair<std::string, Counts>> counts;
  std::map<std::string, uint64_t> named, undecided, refusals, failures;  // message -> programs, all configurations
  std::map<std::string, uint64_t> respelt;    // form that a back end cannot select -> statements spelt `ref` instead
  std::map<std::string, uint64_t> explained;  // signature -> programs
  std::vector<hunt::Fault> faults;            // new ones first
};
Expected<Summary> summary_of(const hunt::Ledger& ledger, const std::string& store);

std::string text_of(const Summary& s);
std::string json_of(const Summary& s);  // schema fencepost.hunt-translation/1, docs/json.md

// One program and what it became; schema fencepost.hunt-program/1.
std::string json_of(const Program& p, const std::string& configuration, const Judged& j);

// A folder for each fault: report.md, the source as the compiler gets it, what it makes of it, and the litmus test that
// has the outcome which the model forbids; and index.md.
std::vector<hunt::ReportFile> report_files(const Summary& s);

}  // namespace fencepost::translation
