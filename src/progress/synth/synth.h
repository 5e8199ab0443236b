#pragma once
// Every progress litmus test of a given size, not a sample: complete enumeration of AXB programs under the constraints
// of "Specifying and Testing GPU Workgroup Progress Models" (OOPSLA 2021, section 5 and its Alloy model; docs/progress-
// synthesis.md says each constraint in words), with every constraint a switch.
//
// Universe: exactly `threads` threads and `instructions` instructions in all, locations 0..k-1 for every k up to
// `locations`, values 0..values-1, all memory 0 at the start. An instruction is any (location, check, jump, exchange),
// but that a store compares with 0: what it compares with has no effect, and axb::Test knows no other stores.
//
// Laws: the set depends on the request alone. The order of delivery does too: not on jobs, nor on interruptions.
// Counts: `canonical` counts one test per class of the requested symmetries; `labelled` counts every program, so that
// it does not depend on the symmetries.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "base/job.h"
#include "fair/model.h"
#include "oracle/oracle.h"

namespace fencepost::synth {

// ---- constraints -------------------------------------------------------------------------------------------------
// Graph: the reachable states (pc of each thread, memory). "Store-shaped": both outcomes of the comparison go to the
// same place, jump == pc + 1. "Branch": not store-shaped.
enum class Constraint : uint8_t {
  ends,                  // wellformed_LTS: from every reachable state the end of all threads can be reached
  no_surplus_threads,    // every thread takes some step, that is, has code
  no_surplus_locations,  // every location is named by some instruction
  interesting,           // the graph has a cycle
  comparisons,           // constrain_comparisons: a store-shaped instruction exchanges and compares with 0
  stores,    // constrain_stores: an instruction that exchanges has a branch of another thread on its location and
             // changes memory at least once (not asked by the older version); a branch has any instruction
             // of another thread on its location
  branches,  // constrain_branches: each branch is reached with its value equal and with it different
};
inline constexpr uint32_t k_constraints = 7;
const char* name(Constraint c);     // "ends", "no-surplus-threads", ...
const char* meaning(Constraint c);  // one sentence

class Constraints {
 public:
  static Constraints all() { return Constraints((1u << k_constraints) - 1); }
  static Constraints none() { return Constraints(0); }
  bool has(Constraint c) const { return (bits_ >> static_cast<uint32_t>(c)) & 1; }
  Constraints with(Constraint c) const { return Constraints(bits_ | 1u << static_cast<uint32_t>(c)); }
  Constraints without(Constraint c) const { return Constraints(bits_ & ~(1u << static_cast<uint32_t>(c))); }
  bool operator==(const Constraints&) const = default;

 private:
  explicit Constraints(uint32_t bits) : bits_(bits) {}
  uint32_t bits_;
};
// "all", "none", or names separated by commas; a name after '-' is taken away: "all,-interesting", "ends,branches".
// A list that begins with a taken-away name starts from all.
Expected<Constraints> parse_constraints(std::string_view text);
std::string to_string(Constraints c);

// Which of the constraints one given test has (any values; explicit search up to 2,000,000 states, else an error).
// `older_stores`: that version of `stores`.
Expected<Constraints> holding(const axb::Test& test, bool older_stores);

// ---- shapes ------------------------------------------------------------------------------------------------------
// A pattern of an instruction: "store", "exch_branch", "chk_branch", "check" (store-shaped without exchange), then
// optionally where it jumps: "self", "back", "forward" (past the next instruction), "end". "any back" leaves the kind
// open.
struct Shape {
  enum class Kind : uint8_t { any, store, check, exch_branch, chk_branch } kind = Kind::any;
  enum class Target : uint8_t { any, self, back, forward, end } target = Target::any;
  bool operator==(const Shape&) const = default;
};
Expected<Shape> parse_shape(std::string_view text);
Expected<std::vector<Shape>> parse_shapes(std::string_view text);  // separated by commas
std::string to_string(const Shape& s);

// ---- request -----------------------------------------------------------------------------------------------------
struct Symmetry {
  bool locations = true;  // one test per renaming of locations; the one whose locations first appear in order
  bool threads = false;   // also one per permutation of threads
  bool values = false;    // also one per permutation of the values other than 0
  bool operator==(const Symmetry&) const = default;
};
// "none", or names separated by commas: "locations", "locations,threads", "locations,threads,values". Threads or values
// without locations is refused.
Expected<Symmetry> parse_symmetry(std::string_view text);

struct Request {
  uint32_t threads = 2, instructions = 4;  // all splits of the instructions over the threads
  std::vector<uint32_t> per_thread;        // not empty: exactly this split; threads and instructions follow from it
  uint32_t locations = 2, values = 2;
  Constraints constraints = Constraints::all();
  bool older_stores = false;
  std::vector<Shape> shapes;  // a test has a different instruction for each of these
  Symmetry symmetry;
  bool operator==(const Request&) const = default;
};
// Errors: sizes of 0, or beyond 8 threads, 12 instructions, 4 locations, 8 values, or 4096 states of a test.
Expected<void> validate(const Request& request);
std::string config_name(const Request& request);  // "2t4i"; of a split "2t4i(1,3)"

// ---- search ------------------------------------------------------------------------------------------------------
struct Found {
  axb::Test test;                      // config "2t4i", name "2t4i/s0", numbered in the order of delivery
  uint64_t labelled = 0;               // programs that this one stands for
  oracle::Size size;                   // of its graph
  std::vector<oracle::Pair> verdicts;  // one per model of Options::models: true, it terminates
  std::string idiom;                   // "" if it is none that we know
};

struct Options {
  uint32_t jobs = 1;
  bool count_only = false;          // no test is made, `each` is not called
  std::vector<fair::Model> models;  // verdicts wanted under these
  // Journal of finished work units. A file that exists is continued, and must be of the same request and models;
  // whatever an interruption left half-written at its end is dropped. Each unit is appended by one write and synced.
  std::string state_file;
  std::function<void(uint64_t done, uint64_t total)> progress;  // work units; called from one thread at a time
};

struct Summary {
  uint64_t canonical = 0, labelled = 0;
  uint64_t graphs = 0;  // programs whose graph was built
  uint64_t units = 0, units_done = 0, units_resumed = 0;
  bool complete() const { return units_done == units; }  // false only if the job ran out of time or was cancelled
};

// Calls `each` in order, from the calling thread or under a lock. On interruption it has seen the tests of a prefix of
// the units. Errors: the request's, the state file's, those of a model.
Expected<Summary> synthesise(const Request& request, const Options& options, Job& job,
                             const std::function<void(const Found&)>& each);

// The line of a test in the lists whose SHA-256 is published: [[[loc,check,jump,doExch,exch],...],...] without spaces.
std::string list_line(const axb::Test& test);

// ---- idioms ------------------------------------------------------------------------------------------------------
// Names a test that is one of the known idioms up to the names of locations and the order of threads; "" otherwise.
// Where the order of threads matters to a scheduler, the name says who waits.
std::string idiom_of(const axb::Test& test);
struct Idiom {
  std::string name, summary;
  axb::Test test;
};
std::vector<Idiom> idioms();

// ---- accounting for given tests ------------------------------------------------------------------------------------
// Where published tests stand in the complete sets of their sizes (all constraints, 2 locations, 2 values).
struct Account {
  std::string test, config;  // its name and published configuration
  bool current = false;      // in the complete set, up to location names
  bool older = false;        // in the complete set of the older version of `stores`
  bool renamed = false;      // it is not the canonical one of its class
  std::string duplicate_of;  // name of an earlier test with the same code
  std::string renaming_of;   // name of an earlier test with other code that is equal up to location names
};
Expected<std::vector<Account>> account(const std::vector<axb::Test>& tests, Job& job);
std::string to_table(const std::vector<Account>& accounts);  // counts per configuration

}  // namespace fencepost::synth
