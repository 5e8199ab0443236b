#pragma once
// What the runs of many tests say about progress models.
//
// Input: tests, and for each test and mapping its runs. Output: for each mapping how many tests never, sometimes and
// always starved (a hung run starves), and for each progress model its violations.
//
// A test is *weak* when it ends under weak fairness (weak FAIR), else *strong*. A weak test that passes weak M is a
// conformance test of M: a device that is weakly fair to the threads that M names ends it always. Where it starved,
//   violated    counts it, with the test's name: the device does not give what M promises
//   explained   counts it apart when weak memory could be the reason: the test uses two or more locations and its
//               instructions were relaxed. What the instructions read may then be older than what was written, so
//               the schedule need not have been unfair. With Order::seq_cst nothing is explained away.
// A strong test needs strong fairness, which no device is known to promise: those that pass strong M and starved are
// counted as `strong`, which is no violation. Model UNFAIR promises nothing and is left out.
//
// Results whose ids lie in any order count for the models OBE and FAIR alone, which treat all ids alike.
//
// beyond: weak tests that LOBE does not guarantee (fair without LOBE), those that chunked mappings are known to starve.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "axb/test.h"
#include "export/export.h"
#include "fair/model.h"
#include "trial/trial.h"

namespace fencepost::fairness {

struct Runs {
  uint32_t total = 0, starved = 0, hung = 0;
  trial::ThreadSet threads = 0;  // that starved in any of them
  uint32_t bad() const { return starved + hung; }
  void add(const trial::Run& r);
  bool operator==(const Runs&) const = default;
};
enum class Frequency : uint8_t { never, sometimes, always };
const char* name(Frequency f);
Frequency frequency(const Runs& r);  // of at least one run

struct Result {
  uint32_t test = 0;              // index of the tests
  std::string mapping = "plain";  // trial::mapping_text
  exports::Order order = exports::Order::relaxed;
  Runs runs;
  bool any_order = false;  // of the ids within an instance: models that look at ids are not judged by it
};

struct MappingRow {
  std::string mapping = "plain";
  uint32_t tests = 0, never = 0, sometimes = 0, always = 0, hung = 0;  // hung: tests with a hung run
  uint32_t beyond = 0, beyond_starved = 0;
};
struct ModelRow {
  std::string model;  // "HSA_OBE"
  uint32_t conformance = 0,
           strong_conformance = 0;  // weak tests that pass weak M, strong ones that pass strong M; that ran
  std::vector<uint32_t> violated, explained, strong;  // tests, ascending
};
struct Summary {
  std::vector<MappingRow> mappings;
  std::vector<ModelRow> models;
  uint32_t weak_tests = 0, strong_tests = 0;  // that ran
};

// Locations that instructions of the test name.
uint32_t used_locations(const axb::Test& test);

// Errors: those of the models; a test with too many states to decide (unsupported).
Expected<Summary> summarise(const std::vector<axb::Test>& tests, const std::vector<Result>& results,
                            const std::vector<fair::Model>& models);
std::string to_text(const Summary& s, const std::vector<axb::Test>& tests);
std::string to_json(const Summary& s, const std::vector<axb::Test>& tests);  // an object

}  // namespace fencepost::fairness
