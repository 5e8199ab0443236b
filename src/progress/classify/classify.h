#pragma once
// What a set of progress tests says about a set of progress models: verdict vectors, conformance and distinguishing
// sets, tests that separate two models, agreement with expected verdicts. A column is a model with a fairness; a test
// passes a column when it terminates under it. docs/progress-oracle.md, "Tables", explains the three rules and the
// published table 4.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "fair/model.h"
#include "oracle/oracle.h"

namespace fencepost::classify {

struct Column {
  uint32_t model = 0;  // position in the list of models
  oracle::Fairness fairness = oracle::Fairness::weak;
  bool operator==(const Column&) const = default;
};

// "hsa+obe" -> "HSA_OBE": the spelling of the published tables and of our CSV and JSON.
std::string table_name(std::string_view model);

// ---- verdicts ----------------------------------------------------------------------------------------------------
struct Suite {
  std::vector<std::string> models;                  // table names
  std::vector<std::string> tests;                   // names; "#12" for a test without one
  std::vector<std::vector<oracle::Pair>> verdicts;  // [test][model]
  uint32_t threads = 0;                             // the most that a test has
};
// Errors: those of the models; a test over options.max_states (unsupported, located).
Expected<Suite> decide_all(const std::vector<axb::Test>& tests, const std::vector<fair::Model>& models,
                           const oracle::Options& options = {});
std::string to_text(const Suite& s);  // one line per test, P or F per column
std::string to_csv(const Suite& s);   // config,id,model,fairness,verdict: what `expect` reads
std::string to_json(const Suite& s);

// ---- which column promises at least as much as another -----------------------------------------------------------
// at_most(a, b): every test of up to `threads` threads that passes a passes b. It is proved, not observed: both models
// run side by side over every sequence of events, and on every round of events that can be repeated for ever F of a
// lies within F of b (the fair set may differ elsewhere: LOBE promises nothing before the first step, HSA does). So
// weak a is at most strong a, and a model that never promises anything is at most everything. A model that looks at
// instructions is related to itself and to empty models only, and so is one with more than a hundred thousand joint
// states.
class Order {
 public:
  bool at_most(Column a, Column b) const;
  bool weaker(Column a, Column b) const { return at_most(a, b) && !at_most(b, a); }
  uint32_t models() const { return static_cast<uint32_t>(empty_.size()); }

 private:
  friend Expected<Order> order_of(const std::vector<fair::Model>& models, uint32_t threads);
  std::vector<std::vector<bool>> within_;
  std::vector<bool> empty_;
};
inline constexpr uint32_t k_order_threads = 4, k_most_order_threads = 6;  // more is cut to the latter
Expected<Order> order_of(const std::vector<fair::Model>& models, uint32_t threads = k_order_threads);

// ---- conformance and distinguishing tests ------------------------------------------------------------------------
enum class Rule : uint8_t {
  literal,  // OOPSLA 2021, section 5.6. conformance: it passes; distinguishing: and it fails every weaker column
  strict,   // distinguishing: and it fails every column that is not at least as strong, incomparable ones too
  script,   // as the published table was made: tests that pass weak FAIR are weak, the others strong; each is booked
            // under the first of HSA, OBE, LOBE, FAIR that it passes; distinguishing: booked here; conformance: booked
            // here or under a weaker one of the four
};
const char* name(Rule r);
std::optional<Rule> rule_named(std::string_view word);

// verdicts: one Pair per model of the order, in its order.
bool literally_distinguishes(const Order& order, const std::vector<oracle::Pair>& verdicts, Column column);
bool strictly_distinguishes(const Order& order, const std::vector<oracle::Pair>& verdicts, Column column);

struct Entry {
  Column column;
  std::vector<uint32_t> distinguishing, conformance;  // tests, ascending
};
struct Table {
  Rule rule = Rule::literal;
  std::vector<std::string> models, tests;
  std::vector<Entry> entries;  // models in order, weak then strong; script: HSA, OBE, LOBE, FAIR
  // Of how many tests the distinguishing share is printed: all; for script, the weak and the strong ones.
  uint32_t weak_tests = 0, strong_tests = 0;
};
// Errors: script without HSA, OBE, LOBE or FAIR among the models.
Expected<Table> classify(const Suite& suite, const Order& order, Rule rule);
std::string to_text(const Table& t);  // counts, as table 4
std::string to_csv(const Table& t);   // rule,model,fairness,distinguishing,conformance
std::string to_json(const Table& t);  // counts and the tests' names

// ---- separating two columns --------------------------------------------------------------------------------------
struct Side {
  fair::Model model;
  oracle::Fairness fairness = oracle::Fairness::weak;
};
struct Difference {
  axb::Test test;
  bool a = false, b = false;  // it passes there
  oracle::Size size;
};
// Up to `limit` tests on which a and b differ, smallest first: instructions, threads, reachable states, then as given.
Expected<std::vector<Difference>> compare(const Side& a, const Side& b, const std::vector<axb::Test>& tests,
                                          size_t limit, const oracle::Options& options = {});
// The same from a source of tests in ascending size, which is asked until `limit` are found or it has no more. Tests
// over options.max_states are passed over.
using Next = std::function<std::optional<axb::Test>()>;
Expected<std::vector<Difference>> compare(const Side& a, const Side& b, const Next& next, size_t limit,
                                          const oracle::Options& options = {});

// ---- agreement with expected verdicts ----------------------------------------------------------------------------
struct Row {
  std::string test;   // "2t2i/0"
  std::string model;  // as written
  oracle::Fairness fairness = oracle::Fairness::weak;
  bool passes = false;
  Span span, test_span, model_span;
};
// CSV with the header config,id,model,fairness,verdict; fairness weak or strong, verdict PASS or FAIL. Errors are
// located.
Expected<std::vector<Row>> parse_expectations(const SourcePtr& source);

struct Agreement {
  uint64_t passed = 0, failed = 0;
  std::vector<Row> mismatches;  // the verdict found is the other one
};
// `models`: those that rows may name beyond the shipped ones; a row's name is compared by table_name.
// Errors: a row about an unknown test or model (located), those of the models, a test over options.max_states.
Expected<Agreement> expect(const std::vector<Row>& rows, const std::vector<axb::Test>& tests,
                           const std::vector<fair::Model>& models = {}, const oracle::Options& options = {});

}  // namespace fencepost::classify
