// The schema is flat so that people can ask it in SQL: `groups` and `progress_runs` hold one row per key, `states` one
// row per final state of a group. Numbers of 64 bits are stored as SQLite's signed ones, bit for bit. `tallies` has the
// number of rows of a table and the sum of their checksums.
#include "store/schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "store/rows.h"

namespace fencepost::store {
namespace {

constexpr int k_application = 0x46505354;  // "FPST": tells our files from other databases

const char* const k_schema = R"(
create table plans(campaign text primary key, text text not null, checksum integer not null default 0) without rowid;
create table tests(hash text primary key, text text not null, checksum integer not null default 0) without rowid;
create table groups(
  id integer primary key,
  campaign text not null, test text not null, test_hash text not null, device text not null, configuration text not null,
  round_group integer not null,
  driver text not null, binary_hash text not null, plan_hash text not null, what_ran text not null, evidence text not null,
  parameters text not null, seed integer not null, launches integer not null, rounds integer not null, instances integer not null,
  corrupt integer not null, incomplete integer not null, filtered integer not null, waits integer not null, time_outs integer not null,
  seconds real not null, device_seconds real not null, finished_ms integer not null, series blob not null, series_lost integer not null,
  frame_missing integer not null default 0, checksum integer not null default 0,
  unique(campaign, test, test_hash, device, configuration, round_group));
create table states(
  group_id integer not null references groups(id), state text not null, count integer not null,
  primary key(group_id, state)) without rowid;
create table progress_runs(
  id integer primary key,
  campaign text not null, test text not null, test_hash text not null, device text not null, mapping text not null, variant text not null,
  run integer not null,
  outcome text not null, starved text not null, driver text not null, binary_hash text not null, parameters text not null,
  seed integer not null, instances integer not null, starved_instances integer not null, seconds real not null,
  finished_ms integer not null, checksum integer not null default 0,
  unique(campaign, test, test_hash, device, mapping, variant, run));
)";

// `rounds`: for each, instances, events, nanoseconds and device nanoseconds as LEB128. `states`: lines of a count and a
// state.
const char* const k_trials = R"(
create table trials(
  id integer primary key,
  campaign text not null, purpose text not null, test text not null, test_hash text not null, device text not null,
  configuration text not null, part integer not null,
  driver text not null, binary_hash text not null, plan_hash text not null, what_ran text not null, evidence text not null,
  parameters text not null, mode text not null, seed integer not null, lost text not null, round_count integer not null,
  instances integer not null, events integer not null, rounds blob not null, states text not null, corrupt integer not null,
  incomplete integer not null, filtered integer not null, waits integer not null, time_outs integer not null,
  seconds real not null, finished_ms integer not null, checksum integer not null default 0,
  unique(campaign, purpose, test, test_hash, device, configuration, part));
)";

const char* const k_tallies = R"(
create table tallies(name text primary key, rows integer not null, sum integer not null) without rowid;
insert into tallies(name, rows, sum) values('groups', 0, 0), ('progress_runs', 0, 0), ('trials', 0, 0);
)";

// A column or a key for each line, without what an older version lacks.
std::set<std::string> described(sqlite3* db, const std::string& table, int version) {
  std::set<std::string> lines;
  Query columns(
      db, "select name, lower(type), \"notnull\", coalesce(dflt_value, ''), pk, hidden from pragma_table_xinfo(?)");
  columns.bind(table);
  while (columns.step() == SQLITE_ROW) {
    columns.next_row();
    const std::string name = columns.text(), type = columns.text();
    if ((version < 4 && name == "checksum") || (version < 3 && name == "frame_missing")) continue;
    const uint64_t needed = columns.whole();
    const std::string preset = columns.text();
    const uint64_t key = columns.whole(), hidden = columns.whole();
    lines.insert(fmt::format("column {} {} {} '{}' {} {}", name, type, needed, preset, key, hidden));
  }
  Query keys(
      db,
      "select i.name, i.origin, i.\"unique\", i.partial, group_concat(coalesce(c.name, '?') || ' ' || c.desc || ' ' || "
      "lower(coalesce(c.coll, '?')), ', ') from pragma_index_list(?) i join pragma_index_xinfo(i.name) c where c.key "
      "group by i.name");
  keys.bind(table);
  while (keys.step() == SQLITE_ROW) {
    keys.next_row();
    const std::string name = keys.text(), origin = keys.text();
    const uint64_t unique = keys.whole(), partial = keys.whole();
    lines.insert(fmt::format("key {} {} {}: {}", origin, unique, partial, keys.text()));
  }
  return lines;
}

struct Object {
  std::string type, name, sql;
};

std::optional<std::vector<Object>> objects(sqlite3* db) {
  std::vector<Object> all;
  Query q(db, "select type, name, coalesce(sql, '') from sqlite_master order by type, name");
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    q.next_row();
    Object o;
    o.type = q.text();
    o.name = q.text();
    o.sql = q.text();
    all.push_back(std::move(o));
  }
  if (status != SQLITE_DONE) return std::nullopt;
  return all;
}

// A word of a table's text that pragmas do not tell of.
std::string foreign_word(std::string sql) {
  std::string text;
  for (const char c : sql)
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f')
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* word : {"check(", "collate", "generated", "onconflict", "strict", "/*", "--", "virtualtable"})
    if (text.find(word) != std::string::npos) return word;
  return "";
}

// What this table is not; "" where it is as this program makes it.
std::string foreign(sqlite3* db, sqlite3* model, const Object& o, int version) {
  const std::string word = foreign_word(o.sql);
  if (!word.empty()) return fmt::format("its table '{}' has '{}', which a store has not", o.name, word);
  const auto ours = described(model, o.name, version), theirs = described(db, o.name, 4);
  for (const std::string& line : theirs)
    if (!ours.contains(line))
      return fmt::format("its table '{}' has a {} that a store has not", o.name,
                         line.substr(0, line.find_first_of(" ", line.find(' ') + 1)));
  for (const std::string& line : ours)
    if (!theirs.contains(line))
      return fmt::format("its table '{}' lacks a {}", o.name,
                         line.substr(0, line.find_first_of(" ", line.find(' ') + 1)));
  return "";
}

template <class R>
Expected<void> seal(sqlite3* db, const std::string& path, const char* table, int version) {
  std::vector<std::pair<uint64_t, uint64_t>> sums;
  Tally tally;
  Query q(db, fmt::format("select {} from {} not indexed", columns_of(Table<R>::k_columns, version), table).c_str());
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    const auto read = read_row(db, q, false, static_cast<const R*>(nullptr));
    if (!read) return failed(path, "cannot be read", db);
    if (!read->fault.empty())
      return error_at({}, fmt::format("{}: row {} of '{}' ({}) cannot be used: {}", path, read->id, table,
                                      key_text(read->row), read->fault));
    sums.emplace_back(read->id, read->checksum);
    tally.add(read->checksum);
  }
  if (status != SQLITE_DONE) return failed(path, "cannot be read", db);
  for (const auto& [id, sum] : sums) {
    Query put(db, fmt::format("update {} set checksum = ? where id = ?", table).c_str());
    put.bind(sum).bind(id);
    if (put.step() != SQLITE_DONE) return failed(path, "cannot be written", db);
  }
  if (!add_to_tally(db, table, tally)) return failed(path, "cannot be written", db);
  return {};
}

Expected<void> seal_texts(sqlite3* db, const std::string& path, const char* table, const char* key) {
  std::vector<std::pair<std::string, uint64_t>> sums;
  Query q(db, fmt::format("select {}, text from {}", key, table).c_str());
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    q.next_row();
    const std::string name = q.text();
    sums.emplace_back(name, checksum(name, q.text()));
  }
  if (status != SQLITE_DONE) return failed(path, "cannot be read", db);
  for (const auto& [name, sum] : sums) {
    Query put(db, fmt::format("update {} set checksum = ? where {} = ?", table, key).c_str());
    put.bind(sum).bind(name);
    if (put.step() != SQLITE_DONE) return failed(path, "cannot be written", db);
  }
  return {};
}

}  // namespace

void harden(sqlite3* db) {
  for (const int on : {SQLITE_DBCONFIG_DEFENSIVE}) sqlite3_db_config(db, on, 1, nullptr);
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW})
    sqlite3_db_config(db, off, 0, nullptr);
  run(db, "pragma cell_size_check = on");
  run(db, "pragma mmap_size = 0");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 28);
}

Expected<int> version_of(sqlite3* db, const std::string& path) {
  int application = 0, version = 0;
  for (auto [sql, to] : {std::pair{"pragma application_id", &application}, {"pragma user_version", &version}}) {
    Query q(db, sql);
    if (q.step() != SQLITE_ROW) return failed(path, "is not a store", db);
    *to = static_cast<int>(q.whole());
  }
  const auto there = objects(db);
  if (!there) return failed(path, "is not a store", db);
  if (there->empty() && application == 0) return 0;
  if (application != k_application)
    return error_at({}, fmt::format("{}: is a database of another program", path),
                    "name a file that does not exist yet, or a store");
  if (version < 1 || version > k_version)
    return error_at({}, fmt::format("{}: has version {} of the format; this program reads versions 1 to {}", path,
                                    version, k_version));
  sqlite3* model = nullptr;
  if (sqlite3_open(":memory:", &model) != SQLITE_OK || !create(model)) {
    sqlite3_close(model);
    return failed(path, "cannot be read", nullptr);
  }
  std::set<std::string> expected = {"plans", "tests", "groups", "states", "progress_runs"}, seen;
  if (version >= 2) expected.insert("trials");
  if (version >= 4) expected.insert("tallies");
  std::string why;
  for (const Object& o : *there) {
    if (!why.empty()) break;
    if (o.type == "index" && o.sql.empty() && o.name.starts_with("sqlite_autoindex_")) continue;
    if (o.type != "table" || !expected.contains(o.name))
      why = fmt::format("it has the {} '{}', which a store has not", o.type, o.name);
    else if (seen.insert(o.name); true)
      why = foreign(db, model, o, version);
  }
  sqlite3_close(model);
  for (const std::string& table : expected)
    if (why.empty() && !seen.contains(table)) why = fmt::format("it has no table '{}'", table);
  if (!why.empty())
    return error_at({}, fmt::format("{}: is not a store as this program makes them: {}", path, why),
                    "a store is made by `fencepost run --store FILE` or `fencepost campaign`");
  return version;
}

bool create(sqlite3* db) {
  return run(db, k_schema) && run(db, k_trials) && run(db, k_tallies) &&
         run(db, fmt::format("pragma application_id = {}", k_application).c_str()) &&
         run(db, fmt::format("pragma user_version = {}", k_version).c_str());
}

Expected<void> migrate(sqlite3* db, int version, const std::string& path) {
  const auto add = [&](const char* table, const char* column) {
    return run(db, fmt::format("alter table {} add column {} integer not null default 0", table, column).c_str());
  };
  bool good =
      (version > 1 || run(db, k_trials)) && (version > 2 || add("groups", "frame_missing")) && run(db, k_tallies);
  for (const char* table : {"plans", "tests", "groups", "progress_runs"}) good = good && add(table, "checksum");
  if (version > 1) good = good && add("trials", "checksum");
  if (!good) return failed(path, "cannot be written", db);
  if (auto ok = seal<Record>(db, path, "groups", k_version); !ok) return ok;
  if (auto ok = seal<ProgressRecord>(db, path, "progress_runs", k_version); !ok) return ok;
  if (auto ok = seal<Trial>(db, path, "trials", k_version); !ok) return ok;
  if (auto ok = seal_texts(db, path, "plans", "campaign"); !ok) return ok;
  if (auto ok = seal_texts(db, path, "tests", "hash"); !ok) return ok;
  if (!run(db, fmt::format("pragma user_version = {}", k_version).c_str()))
    return failed(path, "cannot be written", db);
  return {};
}

std::string columns_of(const char* columns, int version) {
  std::string text(columns);
  const auto lacks = [&](const std::string& column) {
    if (const size_t at = text.find(column); at != std::string::npos)
      text = fmt::format("{}0{}", text.substr(0, at), text.substr(at + column.size()));
  };
  if (version < 3) lacks("frame_missing");
  if (version < 4) lacks("checksum");
  return text;
}

}  // namespace fencepost::store
