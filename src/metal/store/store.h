#pragma once
// Where campaigns keep what they measured: one SQLite file (write-ahead log), one row per finished round group of a
// litmus test or run of a progress test, or for a stretch of many short rounds under one configuration (a Trial).
//
// A campaign's question is what final states there are, so it keeps a Record with all states for each round group.
// Tuning and exploratory data sets ask how often one outcome shows under thousands of configurations, so they keep
// Trials: a series of rounds in the order of time, each with the counts of the outcome alone.
//
// Laws. (1) A row is added whole or not at all, also under kill -9: every `add` is one transaction. (2) A key is there
// at most once: adding it again changes nothing and says so, so a resumed or repeated campaign counts nothing twice.
// (3) merge(a, b) has the rows of both; a key with different contents is counted and the row at hand is kept.
// (4) A campaign keeps the text of its plan; it can be resumed only under the same text. (5) A row has a checksum and a
// table a tally of them; a reader that finds a row changed, gone or against the laws of its members (counts that add
// up, types, no overflow) names it and gives nothing of that table. Stores of versions 1 to 3 have no checksums: `read`
// gives their rows with a `warning`, `open` adds the checksums of the rows as they are. (6) A file with anything that
// this program does not make (triggers, views, other columns) is refused (schema.h).
// Two processes may use one file at a time (they wait for each other up to 10 s).
//
// Units: seconds; milliseconds since 1970 for `finished_ms`. Errors: a file that is no store, is of a later version, or
// cannot be written, with SQLite's own words.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::store {

// One instance of interest: which of the record's states (in the order of the map), in which launch of the group, which
// round of the launch, which instance of the round.
struct Event {
  uint32_t state = 0, launch = 0, round = 0, instance = 0;
  bool operator==(const Event&) const = default;
};

// A round group of a litmus test: rounds under one draw of the iteration parameters.
struct Record {
  // ---- key ----
  std::string campaign;         // "" for single runs
  std::string test, test_hash;  // title; hash of the printed test
  std::string device;           // API and name as the driver says: "cuda NVIDIA H200"
  std::string configuration;    // its name in the plan
  uint32_t group = 0;
  // ---- how ----
  std::string driver, binary_hash, plan_hash;
  std::string what_ran;    // as-written, merged, dropped, reordered, unverified
  std::string evidence;    // why an outcome would count against the device: as-written, language-level, none
  std::string parameters;  // every parameter as drawn, "stride=4,stress=1"
  uint64_t seed = 0;
  // ---- what ----
  uint64_t launches = 0, rounds = 0;  // rounds: of one launch
  uint64_t instances = 0;             // of all launches and rounds
  uint64_t corrupt = 0, incomplete = 0, filtered = 0;
  uint64_t waits = 0, time_outs = 0;  // of the alignment
  double seconds = 0, device_seconds = 0;
  int64_t finished_ms = 0;
  std::map<std::string, uint64_t>
      states;  // text of the final state -> instances; sum + corrupt + incomplete + filtered == instances
  std::vector<Event> series;   // with --series: bounded, see series_lost
  uint64_t series_lost = 0;    // weak outcomes that did not fit
  uint32_t frame_missing = 0;  // accesses of stress and alignment that are not in the machine code
  bool operator==(const Record&) const = default;
};

// One run of a progress test.
struct ProgressRecord {
  std::string campaign, test, test_hash, device, mapping, variant;  // variant: "inter-workgroup", "intra-warp", ...
  uint32_t run = 0;
  std::string outcome;  // terminated, starved, hung
  std::string starved;  // threads of the test, "0,2"
  std::string driver, binary_hash, parameters;
  uint64_t seed = 0;
  uint64_t instances = 0, starved_instances = 0;
  double seconds = 0;
  int64_t finished_ms = 0;
  bool operator==(const ProgressRecord&) const = default;
};

// One round of a Trial: a draw of the iteration parameters, one launch.
struct Round {
  uint64_t instances = 0, events = 0;  // events: instances with the outcome that the test asks about
  uint64_t nanoseconds = 0;            // of wall time with everything: initialising, launching, classifying, reading
  uint64_t device_nanoseconds = 0;     // of the test's launch alone
  bool operator==(const Round&) const = default;
};

// A stretch of rounds of one test on one device under one configuration, in the order of time; a configuration is
// measured in one stretch or in several (parts 0, 1, ...). Tuning's history and exploratory data sets.
struct Trial {
  // ---- key ----
  std::string campaign;
  std::string
      purpose;  // "explore" (all configurations alike), "search" (by a tuner, which chose how long), "confirm" (a
                // tuner's winner and what it is held against, on fresh seeds), "ablate"
  std::string test, test_hash, device;
  std::string
      configuration;  // "17": the 17th random one of the campaign, for all its tests and devices; or a name: "none"
  uint32_t part = 0;
  // ---- how ----
  std::string driver, binary_hash, plan_hash, what_ran, evidence;  // as in Record
  std::string parameters;  // fixed values and ranges, "stride=4,groups=24..32"; the rest has the ranges of docs/run.md
  std::string mode;        // parallel, warp, single
  uint64_t seed = 0;
  std::string lost;  // why this part never came back (a hang, a crash, a refusal), or ""
  // ---- what ----
  std::vector<Round> rounds;
  std::map<std::string, uint64_t> states;  // of all rounds
  uint64_t corrupt = 0, incomplete = 0, filtered = 0, waits = 0, time_outs = 0;
  double seconds = 0;  // of wall time, and what lay between the rounds
  int64_t finished_ms = 0;
  uint64_t instances() const;
  uint64_t events() const;
  bool operator==(const Trial&) const = default;
};

struct Filter {  // empty members: all
  std::string campaign, test, device, configuration, mapping, purpose;
};

struct Merged {
  uint64_t added = 0, known = 0, different = 0;
  bool operator==(const Merged&) const = default;
};

// Whether a file begins as SQLite's files do. False for what is no file (a folder, a pipe) and what cannot be opened.
bool is_database(const std::string& path);

class Store {
 public:
  // Opens the file, or makes it. `must_exist`: a missing file is an error.
  static Expected<Store> open(const std::string& path, bool must_exist = false);
  // To read alone: nothing is written, neither to the file nor beside it where that is barred.
  static Expected<Store> read(const std::string& path);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();
  const std::string& warning() const;  // about a store of an older version, or ""

  // False: the key was there already, and nothing was changed.
  Expected<bool> add(const Record& r);
  Expected<bool> add(const ProgressRecord& r);
  Expected<bool> add(const Trial& t);
  Expected<bool> has(const Record& key) const;  // only the key's members are read
  Expected<bool> has(const ProgressRecord& key) const;

  // In the order of keys.
  Expected<std::vector<Record>> records(const Filter& f = {}) const;
  Expected<std::vector<ProgressRecord>> progress_records(const Filter& f = {}) const;
  // Configurations that are numbers come in their order.
  Expected<std::vector<Trial>> trials(const Filter& f = {}) const;

  // The text of a test by its hash, so that a store can be judged without the files it came from.
  Expected<void> remember_test(const std::string& hash, const std::string& text);
  Expected<std::optional<std::string>> test(const std::string& hash) const;
  Expected<std::vector<std::string>> test_hashes() const;  // of every test that was remembered

  // The plan under which `campaign` runs. The first call remembers it; a later one with another text is an error.
  Expected<void> remember_plan(const std::string& campaign, const std::string& text);
  Expected<std::optional<std::string>> plan(const std::string& campaign) const;

  // All or nothing.
  Expected<Merged> merge(const std::string& path);
  Expected<Merged> merge(const std::vector<std::string>& paths);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Into the store `path`, which is made where there is none: then it is there whole, or not at all.
Expected<Merged> merge_files(const std::string& path, const std::vector<std::string>& others, std::string& warning);

std::string hash_of(const std::string& text);  // FNV-1a 64 in 16 hexadecimal digits

// "3/8" -> whether this machine, number 3 of 8 (from 1), does the work of this key.
struct Shard {
  uint32_t index = 1, count = 1;
  bool takes(const std::string& key) const;
};
Expected<Shard> parse_shard(const std::string& text);

}  // namespace fencepost::store
