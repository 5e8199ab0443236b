// The schema is flat so that people can ask it in SQL: `groups` and `progress_runs` hold one row per key, `states` one
// row per final state of a group. Numbers of 64 bits are stored as SQLite's signed ones, bit for bit.
#include "store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>

#include "base/hash.h"

namespace fencepost::store {
namespace {

constexpr int k_version = 3;  // 2: trials; 3: frame_missing
constexpr int k_application = 0x46505354;  // "FPST": tells our files from other databases

const char* const k_schema = R"(
create table plans(campaign text primary key, text text not null) without rowid;
create table tests(hash text primary key, text text not null) without rowid;
create table groups(
  id integer primary key,
  campaign text not null, test text not null, test_hash text not null, device text not null, configuration text not null,
  round_group integer not null,
  driver text not null, binary_hash text not null, plan_hash text not null, what_ran text not null, evidence text not null,
  parameters text not null, seed integer not null, launches integer not null, rounds integer not null, instances integer not null,
  corrupt integer not null, incomplete integer not null, filtered integer not null, waits integer not null, time_outs integer not null,
  seconds real not null, device_seconds real not null, finished_ms integer not null, series blob not null, series_lost integer not null,
  frame_missing integer not null default 0,
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
  finished_ms integer not null,
  unique(campaign, test, test_hash, device, mapping, variant, run));
)";

// `rounds`: for each, instances, events, nanoseconds and device nanoseconds as LEB128. `states`: lines of a count and a
// state. Added to stores of version 1 when they are opened.
const char* const k_frame_missing = "alter table groups add column frame_missing integer not null default 0";
const char* const k_trials = R"(
create table trials(
  id integer primary key,
  campaign text not null, purpose text not null, test text not null, test_hash text not null, device text not null,
  configuration text not null, part integer not null,
  driver text not null, binary_hash text not null, plan_hash text not null, what_ran text not null, evidence text not null,
  parameters text not null, mode text not null, seed integer not null, lost text not null, round_count integer not null,
  instances integer not null, events integer not null, rounds blob not null, states text not null, corrupt integer not null,
  incomplete integer not null, filtered integer not null, waits integer not null, time_outs integer not null,
  seconds real not null, finished_ms integer not null,
  unique(campaign, purpose, test, test_hash, device, configuration, part));
)";

std::unexpected<Diagnostics> failed(const std::string& path, const std::string& what, sqlite3* db) {
  return error_at({}, fmt::format("{}: {}: {}", path, what, db == nullptr ? "out of memory" : sqlite3_errmsg(db)));
}

// A prepared statement that is reset when it leaves its scope.
class Query {
 public:
  Query(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Query& bind(uint64_t v) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(v));
    return *this;
  }
  Query& bind(int64_t v) { return bind(static_cast<uint64_t>(v)); }
  Query& bind(uint32_t v) { return bind(static_cast<uint64_t>(v)); }
  Query& bind(double v) {
    sqlite3_bind_double(statement_, ++bound_, v);
    return *this;
  }
  Query& bind_blob(const void* data, size_t bytes) {
    sqlite3_bind_blob64(statement_, ++bound_, data == nullptr ? "" : data, bytes, SQLITE_TRANSIENT);
    return *this;
  }
  // SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }

  // Columns are read from left to right.
  std::string text() {
    const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(statement_, read_));
    const int bytes = sqlite3_column_bytes(statement_, read_++);
    return p == nullptr ? std::string() : std::string(p, static_cast<size_t>(bytes));
  }
  uint64_t whole() { return static_cast<uint64_t>(sqlite3_column_int64(statement_, read_++)); }
  double real() { return sqlite3_column_double(statement_, read_++); }
  std::string blob() {
    const void* p = sqlite3_column_blob(statement_, read_);
    const int bytes = sqlite3_column_bytes(statement_, read_++);
    return p == nullptr ? std::string() : std::string(static_cast<const char*>(p), static_cast<size_t>(bytes));
  }
  void next_row() { read_ = 0; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0, read_ = 0;
};

bool run(sqlite3* db, const char* sql) { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

// Rolls back unless committed.
class Transaction {
 public:
  // Immediate: the write lock is taken now, so two processes wait for each other here and not in the middle.
  explicit Transaction(sqlite3* db) : db_(db), open_(run(db, "begin immediate")) {}
  ~Transaction() {
    if (open_) run(db_, "rollback");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return open_; }
  bool commit() {
    if (!open_ || !run(db_, "commit")) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* db_;
  bool open_;
};

std::string packed(const std::vector<Event>& series) {
  std::string bytes;
  bytes.reserve(series.size() * 16);
  const auto put = [&](uint32_t v) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(v >> (8 * i)));
  };
  for (const Event& e : series) {
    for (const uint32_t v : {e.state, e.launch, e.round, e.instance}) put(v);
  }
  return bytes;
}

std::vector<Event> unpacked(const std::string& bytes) {
  std::vector<Event> series;
  const auto at = [&](size_t i) {
    uint32_t v = 0;
    for (size_t k = 0; k < 4; ++k) v |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + k])) << (8 * k);
    return v;
  };
  for (size_t i = 0; i + 16 <= bytes.size(); i += 16) series.push_back({at(i), at(i + 4), at(i + 8), at(i + 12)});
  return series;
}

void put_number(std::string& to, uint64_t v) {
  for (; v >= 0x80; v >>= 7) to.push_back(static_cast<char>(v | 0x80));
  to.push_back(static_cast<char>(v));
}

std::string packed(const std::vector<Round>& rounds) {
  std::string bytes;
  for (const Round& r : rounds)
    for (const uint64_t v : {r.instances, r.events, r.nanoseconds, r.device_nanoseconds}) put_number(bytes, v);
  return bytes;
}

std::vector<Round> rounds_of(const std::string& bytes) {
  std::vector<Round> rounds;
  size_t at = 0;
  const auto number = [&] {
    uint64_t v = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      if (shift < 64) v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return v;
  };
  while (at < bytes.size()) {
    Round r;
    r.instances = number();
    r.events = number();
    r.nanoseconds = number();
    r.device_nanoseconds = number();
    rounds.push_back(r);
  }
  return rounds;
}

std::string states_text(const std::map<std::string, uint64_t>& states) {
  std::string text;
  for (const auto& [state, count] : states) text += fmt::format("{} {}\n", count, state);
  return text;
}

std::map<std::string, uint64_t> states_of(const std::string& text) {
  std::map<std::string, uint64_t> states;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size()), space = text.find(' ', at);
    if (space < end) states[text.substr(space + 1, end - space - 1)] = std::strtoull(text.c_str() + at, nullptr, 10);
    at = end + 1;
  }
  return states;
}

void bind_key(Query& q, const Trial& t) {
  q.bind(t.campaign).bind(t.purpose).bind(t.test).bind(t.test_hash).bind(t.device).bind(t.configuration).bind(t.part);
}
void bind_key(Query& q, const Record& r) {
  q.bind(r.campaign).bind(r.test).bind(r.test_hash).bind(r.device).bind(r.configuration).bind(r.group);
}
void bind_key(Query& q, const ProgressRecord& r) {
  q.bind(r.campaign).bind(r.test).bind(r.test_hash).bind(r.device).bind(r.mapping).bind(r.variant).bind(r.run);
}

// False: the key is there. Called inside a transaction.
std::optional<bool> insert(sqlite3* db, const Record& r) {
  Query q(db,
          "insert or ignore into groups(campaign, test, test_hash, device, configuration, round_group, driver, binary_hash, plan_hash, "
          "what_ran, evidence, parameters, seed, launches, rounds, instances, corrupt, incomplete, filtered, waits, time_outs, seconds, "
          "device_seconds, finished_ms, series, series_lost, frame_missing) "
          "values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, r);
  const std::string series = packed(r.series);
  q.bind(r.driver).bind(r.binary_hash).bind(r.plan_hash).bind(r.what_ran).bind(r.evidence).bind(r.parameters).bind(r.seed);
  q.bind(r.launches).bind(r.rounds).bind(r.instances).bind(r.corrupt).bind(r.incomplete).bind(r.filtered).bind(r.waits);
  q.bind(r.time_outs).bind(r.seconds).bind(r.device_seconds).bind(r.finished_ms);
  q.bind_blob(series.data(), series.size()).bind(r.series_lost).bind(r.frame_missing);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  if (sqlite3_changes(db) == 0) return false;
  const auto id = static_cast<uint64_t>(sqlite3_last_insert_rowid(db));
  for (const auto& [state, count] : r.states) {
    Query s(db, "insert into states(group_id, state, count) values(?,?,?)");
    s.bind(id).bind(state).bind(count);
    if (s.step() != SQLITE_DONE) return std::nullopt;
  }
  return true;
}

std::optional<bool> insert(sqlite3* db, const ProgressRecord& r) {
  Query q(db,
          "insert or ignore into progress_runs(campaign, test, test_hash, device, mapping, variant, run, outcome, starved, driver, "
          "binary_hash, parameters, seed, instances, starved_instances, seconds, finished_ms) values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, r);
  q.bind(r.outcome).bind(r.starved).bind(r.driver).bind(r.binary_hash).bind(r.parameters).bind(r.seed);
  q.bind(r.instances).bind(r.starved_instances).bind(r.seconds).bind(r.finished_ms);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  return sqlite3_changes(db) != 0;
}

std::optional<bool> insert(sqlite3* db, const Trial& t) {
  Query q(db,
          "insert or ignore into trials(campaign, purpose, test, test_hash, device, configuration, part, driver, binary_hash, plan_hash, "
          "what_ran, evidence, parameters, mode, seed, lost, round_count, instances, events, rounds, states, corrupt, incomplete, filtered, "
          "waits, time_outs, seconds, finished_ms) values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, t);
  const std::string rounds = packed(t.rounds);
  q.bind(t.driver).bind(t.binary_hash).bind(t.plan_hash).bind(t.what_ran).bind(t.evidence).bind(t.parameters).bind(t.mode).bind(t.seed);
  q.bind(t.lost).bind(uint64_t{t.rounds.size()}).bind(t.instances()).bind(t.events()).bind_blob(rounds.data(), rounds.size());
  q.bind(states_text(t.states)).bind(t.corrupt).bind(t.incomplete).bind(t.filtered).bind(t.waits).bind(t.time_outs);
  q.bind(t.seconds).bind(t.finished_ms);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  return sqlite3_changes(db) != 0;
}

constexpr const char* k_where_trial =
    " where campaign = ? and purpose = ? and test = ? and test_hash = ? and device = ? and configuration = ? and part = ?";
constexpr const char* k_trial_columns =
    "select campaign, purpose, test, test_hash, device, configuration, part, driver, binary_hash, plan_hash, what_ran, evidence, parameters, "
    "mode, seed, lost, rounds, states, corrupt, incomplete, filtered, waits, time_outs, seconds, finished_ms from trials";

constexpr const char* k_where_record =
    " where campaign = ? and test = ? and test_hash = ? and device = ? and configuration = ? and round_group = ?";
constexpr const char* k_where_progress =
    " where campaign = ? and test = ? and test_hash = ? and device = ? and mapping = ? and variant = ? and run = ?";
constexpr const char* k_record_columns =
    "select id, campaign, test, test_hash, device, configuration, round_group, driver, binary_hash, plan_hash, what_ran, evidence, "
    "parameters, seed, launches, rounds, instances, corrupt, incomplete, filtered, waits, time_outs, seconds, device_seconds, finished_ms, series, series_lost, "
    "frame_missing from groups";
constexpr const char* k_progress_columns =
    "select campaign, test, test_hash, device, mapping, variant, run, outcome, starved, driver, binary_hash, parameters, seed, instances, "
    "starved_instances, seconds, finished_ms from progress_runs";

bool read_states(sqlite3* db, uint64_t id, Record& r) {
  Query q(db, "select state, count from states where group_id = ?");
  q.bind(id);
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    q.next_row();
    std::string state = q.text();
    r.states.emplace(std::move(state), q.whole());
  }
  return status == SQLITE_DONE;
}

std::optional<Record> read_record(sqlite3* db, Query& q) {
  Record r;
  q.next_row();
  const uint64_t id = q.whole();
  r.campaign = q.text();
  r.test = q.text();
  r.test_hash = q.text();
  r.device = q.text();
  r.configuration = q.text();
  r.group = static_cast<uint32_t>(q.whole());
  r.driver = q.text();
  r.binary_hash = q.text();
  r.plan_hash = q.text();
  r.what_ran = q.text();
  r.evidence = q.text();
  r.parameters = q.text();
  r.seed = q.whole();
  r.launches = q.whole();
  r.rounds = q.whole();
  r.instances = q.whole();
  r.corrupt = q.whole();
  r.incomplete = q.whole();
  r.filtered = q.whole();
  r.waits = q.whole();
  r.time_outs = q.whole();
  r.seconds = q.real();
  r.device_seconds = q.real();
  r.finished_ms = static_cast<int64_t>(q.whole());
  r.series = unpacked(q.blob());
  r.series_lost = q.whole();
  r.frame_missing = static_cast<uint32_t>(q.whole());
  if (!read_states(db, id, r)) return std::nullopt;
  return r;
}

ProgressRecord read_progress(Query& q) {
  ProgressRecord r;
  q.next_row();
  r.campaign = q.text();
  r.test = q.text();
  r.test_hash = q.text();
  r.device = q.text();
  r.mapping = q.text();
  r.variant = q.text();
  r.run = static_cast<uint32_t>(q.whole());
  r.outcome = q.text();
  r.starved = q.text();
  r.driver = q.text();
  r.binary_hash = q.text();
  r.parameters = q.text();
  r.seed = q.whole();
  r.instances = q.whole();
  r.starved_instances = q.whole();
  r.seconds = q.real();
  r.finished_ms = static_cast<int64_t>(q.whole());
  return r;
}

Trial read_trial(Query& q) {
  Trial t;
  q.next_row();
  t.campaign = q.text();
  t.purpose = q.text();
  t.test = q.text();
  t.test_hash = q.text();
  t.device = q.text();
  t.configuration = q.text();
  t.part = static_cast<uint32_t>(q.whole());
  t.driver = q.text();
  t.binary_hash = q.text();
  t.plan_hash = q.text();
  t.what_ran = q.text();
  t.evidence = q.text();
  t.parameters = q.text();
  t.mode = q.text();
  t.seed = q.whole();
  t.lost = q.text();
  t.rounds = rounds_of(q.blob());
  t.states = states_of(q.text());
  t.corrupt = q.whole();
  t.incomplete = q.whole();
  t.filtered = q.whole();
  t.waits = q.whole();
  t.time_outs = q.whole();
  t.seconds = q.real();
  t.finished_ms = static_cast<int64_t>(q.whole());
  return t;
}

std::string where(const std::vector<std::pair<const char*, const std::string*>>& parts) {
  std::string sql;
  for (const auto& [column, value] : parts)
    if (!value->empty()) sql += fmt::format("{} {} = ?", sql.empty() ? " where" : " and", column);
  return sql;
}

}  // namespace

uint64_t Trial::instances() const {
  uint64_t n = 0;
  for (const Round& r : rounds) n += r.instances;
  return n;
}

uint64_t Trial::events() const {
  uint64_t n = 0;
  for (const Round& r : rounds) n += r.events;
  return n;
}

struct Store::Impl {
  sqlite3* db = nullptr;
  std::string path;
  ~Impl() { sqlite3_close(db); }

  template <class R>
  Expected<bool> add(const R& r) {
    Transaction t(db);
    if (!t.begun()) return failed(path, "cannot be written", db);
    const auto added = insert(db, r);
    if (!added || !t.commit()) return failed(path, "cannot be written", db);
    return *added;
  }
  template <class R>
  Expected<bool> has(const R& r, const char* table, const char* clause) const {
    Query q(db, fmt::format("select 1 from {}{}", table, clause).c_str());
    bind_key(q, r);
    const int status = q.step();
    if (status != SQLITE_ROW && status != SQLITE_DONE) return failed(path, "cannot be read", db);
    return status == SQLITE_ROW;
  }
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Expected<Store> Store::open(const std::string& path, bool must_exist) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (must_exist ? 0 : SQLITE_OPEN_CREATE);
  if (sqlite3_open_v2(path.c_str(), &impl->db, flags, nullptr) != SQLITE_OK) {
    auto e = failed(path, "cannot be opened", impl->db);
    if (must_exist) e.error().list.front().hint = "a store is made by `fencepost run --store FILE` or `fencepost campaign`";
    return e;
  }
  sqlite3* db = impl->db;
  sqlite3_busy_timeout(db, 10000);
  Transaction t(db);
  if (!t.begun()) return failed(path, "is not a store", db);
  int application = 0, version = 0, tables = 0;
  for (auto [sql, to] : {std::pair{"pragma application_id", &application}, {"pragma user_version", &version},
                         {"select count(*) from sqlite_master", &tables}}) {
    Query q(db, sql);
    if (q.step() != SQLITE_ROW) return failed(path, "is not a store", db);
    *to = static_cast<int>(q.whole());
  }
  if (tables == 0 && application == 0) {
    if (!run(db, k_schema) || !run(db, k_trials) || !run(db, fmt::format("pragma application_id = {}", k_application).c_str()) ||
        !run(db, fmt::format("pragma user_version = {}", k_version).c_str()))
      return failed(path, "cannot be written", db);
  } else if (application != k_application) {
    return error_at({}, fmt::format("{}: is a database of another program", path), "name a file that does not exist yet, or a store");
  } else if (version == 1 || version == 2) {
    const bool trials = version > 1 || run(db, k_trials);
    if (!trials || !run(db, k_frame_missing) || !run(db, fmt::format("pragma user_version = {}", k_version).c_str())) return failed(path, "cannot be written", db);
  } else if (version != k_version) {
    return error_at({}, fmt::format("{}: has version {} of the format; this program reads version {}", path, version, k_version));
  }
  if (!t.commit()) return failed(path, "cannot be written", db);
  // In the log mode a killed writer leaves whole transactions only.
  if (!run(db, "pragma journal_mode = wal") || !run(db, "pragma synchronous = normal")) return failed(path, "cannot be written", db);
  return Store(std::move(impl));
}

Expected<bool> Store::add(const Record& r) { return impl_->add(r); }
Expected<bool> Store::add(const ProgressRecord& r) { return impl_->add(r); }
Expected<bool> Store::add(const Trial& t) { return impl_->add(t); }
Expected<bool> Store::has(const Record& key) const { return impl_->has(key, "groups", k_where_record); }
Expected<bool> Store::has(const ProgressRecord& key) const { return impl_->has(key, "progress_runs", k_where_progress); }

Expected<std::vector<Record>> Store::records(const Filter& f) const {
  const std::vector<std::pair<const char*, const std::string*>> parts = {
      {"campaign", &f.campaign}, {"test", &f.test}, {"device", &f.device}, {"configuration", &f.configuration}};
  Query q(impl_->db, (k_record_columns + where(parts) + " order by campaign, test, test_hash, device, configuration, round_group").c_str());
  for (const auto& [column, value] : parts)
    if (!value->empty()) q.bind(*value);
  std::vector<Record> all;
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    auto r = read_record(impl_->db, q);
    if (!r) return failed(impl_->path, "cannot be read", impl_->db);
    all.push_back(std::move(*r));
  }
  if (status != SQLITE_DONE) return failed(impl_->path, "cannot be read", impl_->db);
  return all;
}

Expected<std::vector<ProgressRecord>> Store::progress_records(const Filter& f) const {
  const std::vector<std::pair<const char*, const std::string*>> parts = {
      {"campaign", &f.campaign}, {"test", &f.test}, {"device", &f.device}, {"mapping", &f.mapping}};
  Query q(impl_->db, (k_progress_columns + where(parts) + " order by campaign, test, test_hash, device, mapping, variant, run").c_str());
  for (const auto& [column, value] : parts)
    if (!value->empty()) q.bind(*value);
  std::vector<ProgressRecord> all;
  int status;
  while ((status = q.step()) == SQLITE_ROW) all.push_back(read_progress(q));
  if (status != SQLITE_DONE) return failed(impl_->path, "cannot be read", impl_->db);
  return all;
}

Expected<std::vector<Trial>> Store::trials(const Filter& f) const {
  const std::vector<std::pair<const char*, const std::string*>> parts = {
      {"campaign", &f.campaign}, {"purpose", &f.purpose}, {"test", &f.test}, {"device", &f.device}, {"configuration", &f.configuration}};
  Query q(impl_->db, (k_trial_columns + where(parts) +
                      " order by campaign, purpose, test, test_hash, device, length(configuration), configuration, part")
                         .c_str());
  for (const auto& [column, value] : parts)
    if (!value->empty()) q.bind(*value);
  std::vector<Trial> all;
  int status;
  while ((status = q.step()) == SQLITE_ROW) all.push_back(read_trial(q));
  if (status != SQLITE_DONE) return failed(impl_->path, "cannot be read", impl_->db);
  return all;
}

Expected<std::optional<std::string>> Store::plan(const std::string& campaign) const {
  Query q(impl_->db, "select text from plans where campaign = ?");
  q.bind(campaign);
  const int status = q.step();
  if (status == SQLITE_DONE) return std::optional<std::string>();
  if (status != SQLITE_ROW) return failed(impl_->path, "cannot be read", impl_->db);
  return std::optional(q.text());
}

Expected<void> Store::remember_plan(const std::string& campaign, const std::string& text) {
  Transaction t(impl_->db);
  if (!t.begun()) return failed(impl_->path, "cannot be written", impl_->db);
  const auto old = plan(campaign);
  if (!old) return std::unexpected(old.error());
  if (*old && **old != text)
    return error_at({}, fmt::format("{}: campaign '{}' was begun under another plan", impl_->path, campaign),
                    "give the changed plan another name, or another store; a campaign runs unchanged to its end");
  if (!*old) {
    Query q(impl_->db, "insert into plans(campaign, text) values(?,?)");
    q.bind(campaign).bind(text);
    if (q.step() != SQLITE_DONE) return failed(impl_->path, "cannot be written", impl_->db);
  }
  if (!t.commit()) return failed(impl_->path, "cannot be written", impl_->db);
  return {};
}

Expected<std::optional<std::string>> Store::test(const std::string& hash) const {
  Query q(impl_->db, "select text from tests where hash = ?");
  q.bind(hash);
  const int status = q.step();
  if (status == SQLITE_DONE) return std::optional<std::string>();
  if (status != SQLITE_ROW) return failed(impl_->path, "cannot be read", impl_->db);
  return std::optional(q.text());
}

Expected<void> Store::remember_test(const std::string& hash, const std::string& text) {
  Query q(impl_->db, "insert or ignore into tests(hash, text) values(?,?)");
  q.bind(hash).bind(text);
  if (q.step() != SQLITE_DONE) return failed(impl_->path, "cannot be written", impl_->db);
  return {};
}

Expected<Merged> Store::merge(const std::string& path) {
  auto other = Store::open(path, true);
  if (!other) return std::unexpected(other.error());
  Merged merged;
  {
    Query q(other->impl_->db, "select campaign, text from plans");
    int status;
    while ((status = q.step()) == SQLITE_ROW) {
      q.next_row();
      const std::string campaign = q.text();
      if (auto kept = remember_plan(campaign, q.text()); !kept) return std::unexpected(kept.error());
    }
    if (status != SQLITE_DONE) return failed(path, "cannot be read", other->impl_->db);
  }
  {
    Query q(other->impl_->db, "select hash, text from tests");
    int status;
    while ((status = q.step()) == SQLITE_ROW) {
      q.next_row();
      const std::string hash = q.text();
      if (auto kept = remember_test(hash, q.text()); !kept) return std::unexpected(kept.error());
    }
    if (status != SQLITE_DONE) return failed(path, "cannot be read", other->impl_->db);
  }
  const auto groups = other->records();
  if (!groups) return std::unexpected(groups.error());
  const auto runs = other->progress_records();
  if (!runs) return std::unexpected(runs.error());
  const auto trials = other->trials();
  if (!trials) return std::unexpected(trials.error());
  // One transaction: a merge that is killed has added nothing.
  Transaction t(impl_->db);
  if (!t.begun()) return failed(impl_->path, "cannot be written", impl_->db);
  const auto take = [&](const auto& row, const char* columns, const char* clause, auto read) -> bool {
    const auto added = insert(impl_->db, row);
    if (!added) return false;
    if (*added) {
      ++merged.added;
      return true;
    }
    Query q(impl_->db, (std::string(columns) + clause).c_str());
    bind_key(q, row);
    if (q.step() != SQLITE_ROW) return false;
    const auto mine = read(q);
    ++(mine && *mine == row ? merged.known : merged.different);
    return true;
  };
  for (const Record& r : *groups)
    if (!take(r, k_record_columns, k_where_record, [&](Query& q) { return read_record(impl_->db, q); }))
      return failed(impl_->path, "cannot be written", impl_->db);
  for (const ProgressRecord& r : *runs)
    if (!take(r, k_progress_columns, k_where_progress, [&](Query& q) { return std::optional(read_progress(q)); }))
      return failed(impl_->path, "cannot be written", impl_->db);
  for (const Trial& r : *trials)
    if (!take(r, k_trial_columns, k_where_trial, [&](Query& q) { return std::optional(read_trial(q)); }))
      return failed(impl_->path, "cannot be written", impl_->db);
  if (!t.commit()) return failed(impl_->path, "cannot be written", impl_->db);
  return merged;
}

std::string hash_of(const std::string& text) { return hex16(fnv1a(text)); }

bool Shard::takes(const std::string& key) const {
  // The low bits of FNV-1a are weak on short keys; mixed before the remainder.
  uint64_t h = fnv1a(key);
  h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
  return (h >> 33) % count == index - 1;
}

Expected<Shard> parse_shard(const std::string& text) {
  const auto bad = [&] { return error_at({}, fmt::format("'{}' is no shard", text), "I/N, with I from 1 to N: 3/8 is the third of eight"); };
  const size_t slash = text.find('/');
  if (slash == std::string::npos || text.size() > 20) return bad();
  const auto number = [](const std::string& s) -> uint64_t {
    if (s.empty() || s.find_first_not_of("0123456789") != std::string::npos || s.size() > 6) return 0;
    return std::stoull(s);
  };
  const uint64_t i = number(text.substr(0, slash)), n = number(text.substr(slash + 1));
  if (i == 0 || n == 0 || i > n) return bad();
  return Shard{static_cast<uint32_t>(i), static_cast<uint32_t>(n)};
}

}  // namespace fencepost::store
