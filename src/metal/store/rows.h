#pragma once
// Rows of a store: their columns, and the checksum that each keeps of itself.
//
// The checksum is FNV-1a over the row's members with the length of each, the states of a round group among them: any
// one changed byte changes it. A reader makes it again from what it has read. It does not help against malice, which
// can make a checksum too; what a row says is therefore held against the laws of store.h as well (counts that add up,
// no overflow).
#include <optional>

#include "store/sql.h"
#include "store/store.h"

namespace fencepost::store {

// ---- the tables whose rows have checksums; `checksum` is their last column --------------------------------
template <class R>
struct Table;  // name, select (without "from"), where_key
template <>
struct Table<Record> {
  static constexpr const char* k_name = "groups";
  static constexpr const char* k_columns =
      "id, campaign, test, test_hash, device, configuration, round_group, driver, binary_hash, plan_hash, what_ran, "
      "evidence, "
      "parameters, seed, launches, rounds, instances, corrupt, incomplete, filtered, waits, time_outs, seconds, "
      "device_seconds, finished_ms, series, series_lost, frame_missing, checksum";
  static constexpr const char* k_where =
      " where campaign = ? and test = ? and test_hash = ? and device = ? and configuration = ? and round_group = ?";
};
template <>
struct Table<ProgressRecord> {
  static constexpr const char* k_name = "progress_runs";
  static constexpr const char* k_columns =
      "id, campaign, test, test_hash, device, mapping, variant, run, outcome, starved, driver, binary_hash, "
      "parameters, seed, "
      "instances, starved_instances, seconds, finished_ms, checksum";
  static constexpr const char* k_where =
      " where campaign = ? and test = ? and test_hash = ? and device = ? and mapping = ? and variant = ? and run = ?";
};
template <>
struct Table<Trial> {
  static constexpr const char* k_name = "trials";
  static constexpr const char* k_columns =
      "id, campaign, purpose, test, test_hash, device, configuration, part, driver, binary_hash, plan_hash, what_ran, "
      "evidence, "
      "parameters, mode, seed, lost, round_count, instances, events, rounds, states, corrupt, incomplete, filtered, "
      "waits, "
      "time_outs, seconds, finished_ms, checksum";
  static constexpr const char* k_where =
      " where campaign = ? and purpose = ? and test = ? and test_hash = ? and device = ? and configuration = ? and "
      "part = ?";
};

void bind_key(Query& q, const Record& r);
void bind_key(Query& q, const ProgressRecord& r);
void bind_key(Query& q, const Trial& t);
std::string key_text(const Record& r);  // for people
std::string key_text(const ProgressRecord& r);
std::string key_text(const Trial& t);

uint64_t checksum(const Record& r);
uint64_t checksum(const ProgressRecord& r);
uint64_t checksum(const Trial& t);
uint64_t checksum(const std::string& key, const std::string& text);  // of a plan or a test

// What is read of a row. `fault`: why it must not be used, or "".
template <class R>
struct Read {
  R row;
  uint64_t id = 0, checksum = 0;
  std::string fault;
};
// `has_checksums`: the store has checksums (its version is this program's). Nothing: SQLite's error.
std::optional<Read<Record>> read_row(sqlite3* db, Query& q, bool has_checksums, const Record*);
std::optional<Read<ProgressRecord>> read_row(sqlite3* db, Query& q, bool has_checksums, const ProgressRecord*);
std::optional<Read<Trial>> read_row(sqlite3* db, Query& q, bool has_checksums, const Trial*);

// False: the key is there. Called inside a transaction; the tally of the table goes along.
std::optional<bool> insert(sqlite3* db, const Record& r);
std::optional<bool> insert(sqlite3* db, const ProgressRecord& r);
std::optional<bool> insert(sqlite3* db, const Trial& t);

// How many rows a table has and the sum of their checksums: a row that is gone is missed.
struct Tally {
  uint64_t rows = 0, sum = 0;
  void add(uint64_t checksum) {
    ++rows;
    sum += checksum;
  }
  bool operator==(const Tally&) const = default;
};
bool add_to_tally(sqlite3* db, const char* table, const Tally& t);
// Nothing: SQLite's error, or it is not there.
std::optional<Tally> tally(sqlite3* db, const char* table);

}  // namespace fencepost::store
