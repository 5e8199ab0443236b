#include "store/rows.h"

#include <bit>
#include <charconv>

#include "base/hash.h"

namespace fencepost::store {
namespace {

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

std::optional<std::vector<Event>> unpacked(const std::string& bytes, size_t states) {
  if (bytes.size() % 16 != 0) return std::nullopt;
  std::vector<Event> series;
  const auto at = [&](size_t i) {
    uint32_t v = 0;
    for (size_t k = 0; k < 4; ++k) v |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i + k])) << (8 * k);
    return v;
  };
  for (size_t i = 0; i + 16 <= bytes.size(); i += 16) {
    series.push_back({at(i), at(i + 4), at(i + 8), at(i + 12)});
    if (series.back().state >= states) return std::nullopt;
  }
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

std::optional<std::vector<Round>> rounds_of(const std::string& bytes) {
  std::vector<Round> rounds;
  size_t at = 0;
  bool good = true;
  const auto number = [&] {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at == bytes.size() || shift > 63) {
        good = false;
        return v;
      }
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
  };
  while (good && at < bytes.size()) {
    Round r;
    r.instances = number();
    r.events = number();
    r.nanoseconds = number();
    r.device_nanoseconds = number();
    good = good && r.instances <= k_most_counted && r.events <= r.instances;
    rounds.push_back(r);
  }
  if (!good) return std::nullopt;
  return rounds;
}

std::string states_text(const std::map<std::string, uint64_t>& states) {
  std::string text;
  for (const auto& [state, count] : states) text += fmt::format("{} {}\n", count, state);
  return text;
}

std::optional<std::map<std::string, uint64_t>> states_of(const std::string& text) {
  std::map<std::string, uint64_t> states;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at), space = text.find(' ', at);
    if (end == std::string::npos || space == std::string::npos || space >= end) return std::nullopt;
    uint64_t count = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + space, count);
    if (error != std::errc() || stop != text.data() + space || count > k_most_counted) return std::nullopt;
    if (!states.emplace(text.substr(space + 1, end - space - 1), count).second) return std::nullopt;
    at = end + 1;
  }
  return states;
}

class Seal {
 public:
  Seal& operator<<(uint64_t v) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(v >> (8 * i));
    hash_ = fnv1a({bytes, 8}, hash_);
    return *this;
  }
  Seal& operator<<(uint32_t v) { return *this << uint64_t{v}; }
  Seal& operator<<(int64_t v) { return *this << static_cast<uint64_t>(v); }
  Seal& operator<<(double v) { return *this << std::bit_cast<uint64_t>(v); }
  Seal& operator<<(const std::string& text) {
    *this << uint64_t{text.size()};
    hash_ = fnv1a(text, hash_);
    return *this;
  }
  Seal& operator<<(const std::map<std::string, uint64_t>& states) {
    *this << uint64_t{states.size()};
    for (const auto& [state, count] : states) *this << state << count;
    return *this;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = k_fnv_begin;
};

// The states of a round group. False: SQLite's error.
bool read_states(sqlite3* db, uint64_t id, Record& r, std::string& fault) {
  Query q(db, "select state, count from states where group_id = ?");
  q.bind(id);
  int status;
  while ((status = q.step()) == SQLITE_ROW) {
    q.next_row();
    std::string state = q.text();
    r.states.emplace(std::move(state), q.count());
    if (fault.empty()) fault = q.fault();
  }
  return status == SQLITE_DONE;
}

// Whether the parts of a round group are its instances.
bool adds_up(const Record& r) {
  unsigned __int128 sum = r.corrupt;
  sum += r.incomplete;
  sum += r.filtered;
  for (const auto& [state, count] : r.states) sum += count;
  return sum == r.instances;
}

template <class R>
void finish(Read<R>& out, const Query& q, bool has_checksums) {
  if (out.fault.empty()) out.fault = q.fault();
  const uint64_t made = checksum(out.row);
  if (has_checksums && out.fault.empty() && made != out.checksum) out.fault = "its checksum does not fit what it holds";
  out.checksum = made;
}

}  // namespace

void bind_key(Query& q, const Trial& t) {
  q.bind(t.campaign).bind(t.purpose).bind(t.test).bind(t.test_hash).bind(t.device).bind(t.configuration).bind(t.part);
}
void bind_key(Query& q, const Record& r) {
  q.bind(r.campaign).bind(r.test).bind(r.test_hash).bind(r.device).bind(r.configuration).bind(r.group);
}
void bind_key(Query& q, const ProgressRecord& r) {
  q.bind(r.campaign).bind(r.test).bind(r.test_hash).bind(r.device).bind(r.mapping).bind(r.variant).bind(r.run);
}

std::string key_text(const Record& r) {
  return fmt::format("{} on {}, {}, group {}", r.test, r.device, r.configuration, r.group);
}
std::string key_text(const ProgressRecord& r) {
  return fmt::format("{} on {}, {}, {}, run {}", r.test, r.device, r.mapping, r.variant, r.run);
}
std::string key_text(const Trial& t) {
  return fmt::format("{} on {}, {}, configuration {}, part {}", t.test, t.device, t.purpose, t.configuration, t.part);
}

uint64_t checksum(const Record& r) {
  Seal s;
  s << r.campaign << r.test << r.test_hash << r.device << r.configuration << r.group << r.driver << r.binary_hash
    << r.plan_hash << r.what_ran << r.evidence << r.parameters << r.seed << r.launches << r.rounds << r.instances
    << r.corrupt << r.incomplete << r.filtered << r.waits << r.time_outs << r.seconds << r.device_seconds
    << r.finished_ms << r.states << packed(r.series) << r.series_lost << r.frame_missing;
  return s.value();
}

uint64_t checksum(const ProgressRecord& r) {
  Seal s;
  s << r.campaign << r.test << r.test_hash << r.device << r.mapping << r.variant << r.run << r.outcome << r.starved
    << r.driver << r.binary_hash << r.parameters << r.seed << r.instances << r.starved_instances << r.seconds
    << r.finished_ms;
  return s.value();
}

uint64_t checksum(const Trial& t) {
  Seal s;
  s << t.campaign << t.purpose << t.test << t.test_hash << t.device << t.configuration << t.part << t.driver
    << t.binary_hash << t.plan_hash << t.what_ran << t.evidence << t.parameters << t.mode << t.seed << t.lost
    << packed(t.rounds) << t.states << t.corrupt << t.incomplete << t.filtered << t.waits << t.time_outs << t.seconds
    << t.finished_ms;
  return s.value();
}

uint64_t checksum(const std::string& key, const std::string& text) {
  Seal s;
  s << key << text;
  return s.value();
}

std::optional<Read<Record>> read_row(sqlite3* db, Query& q, bool has_checksums, const Record*) {
  Read<Record> out;
  Record& r = out.row;
  q.next_row();
  out.id = q.whole();
  for (std::string* to : {&r.campaign, &r.test, &r.test_hash, &r.device, &r.configuration}) *to = q.text();
  r.group = q.small();
  for (std::string* to : {&r.driver, &r.binary_hash, &r.plan_hash, &r.what_ran, &r.evidence, &r.parameters})
    *to = q.text();
  r.seed = q.whole();
  for (uint64_t* to :
       {&r.launches, &r.rounds, &r.instances, &r.corrupt, &r.incomplete, &r.filtered, &r.waits, &r.time_outs})
    *to = q.count();
  r.seconds = q.seconds();
  r.device_seconds = q.seconds();
  r.finished_ms = static_cast<int64_t>(q.whole());
  const std::string series = q.blob();
  r.series_lost = q.count();
  r.frame_missing = q.small();
  out.checksum = q.whole();
  out.fault = q.fault();
  if (!read_states(db, out.id, r, out.fault)) return std::nullopt;
  auto events = unpacked(series, r.states.size());
  if (events) r.series = std::move(*events);
  if (!events && out.fault.empty()) out.fault = "its series is none";
  finish(out, q, has_checksums);
  if (out.fault.empty() && !adds_up(r)) out.fault = "its counts do not add up to its instances";
  return out;
}

std::optional<Read<ProgressRecord>> read_row(sqlite3*, Query& q, bool has_checksums, const ProgressRecord*) {
  Read<ProgressRecord> out;
  ProgressRecord& r = out.row;
  q.next_row();
  out.id = q.whole();
  for (std::string* to : {&r.campaign, &r.test, &r.test_hash, &r.device, &r.mapping, &r.variant}) *to = q.text();
  r.run = q.small();
  for (std::string* to : {&r.outcome, &r.starved, &r.driver, &r.binary_hash, &r.parameters}) *to = q.text();
  r.seed = q.whole();
  r.instances = q.count();
  r.starved_instances = q.count();
  r.seconds = q.seconds();
  r.finished_ms = static_cast<int64_t>(q.whole());
  out.checksum = q.whole();
  finish(out, q, has_checksums);
  if (out.fault.empty() && r.starved_instances > r.instances) out.fault = "more instances starved than ran";
  return out;
}

std::optional<Read<Trial>> read_row(sqlite3*, Query& q, bool has_checksums, const Trial*) {
  Read<Trial> out;
  Trial& t = out.row;
  q.next_row();
  out.id = q.whole();
  for (std::string* to : {&t.campaign, &t.purpose, &t.test, &t.test_hash, &t.device, &t.configuration}) *to = q.text();
  t.part = q.small();
  for (std::string* to : {&t.driver, &t.binary_hash, &t.plan_hash, &t.what_ran, &t.evidence, &t.parameters, &t.mode})
    *to = q.text();
  t.seed = q.whole();
  t.lost = q.text();
  const uint64_t count = q.count(), instances = q.whole(), events = q.whole();
  auto rounds = rounds_of(q.blob());
  auto states = states_of(q.text());
  for (uint64_t* to : {&t.corrupt, &t.incomplete, &t.filtered, &t.waits, &t.time_outs}) *to = q.count();
  t.seconds = q.seconds();
  t.finished_ms = static_cast<int64_t>(q.whole());
  out.checksum = q.whole();
  if (rounds) t.rounds = std::move(*rounds);
  if (states) t.states = std::move(*states);
  finish(out, q, has_checksums);
  if (!out.fault.empty()) return out;
  if (!rounds || !states)
    out.fault = rounds ? "its states are none" : "its rounds are none";
  else if (count != t.rounds.size() || instances != t.instances() || events != t.events())
    out.fault = "its sums are not those of its rounds";
  return out;
}

bool add_to_tally(sqlite3* db, const char* table, const Tally& t) {
  auto now = tally(db, table);
  if (!now) return false;
  Query q(db, "update tallies set rows = ?, sum = ? where name = ?");
  q.bind(now->rows + t.rows).bind(now->sum + t.sum).bind(std::string(table));
  return q.step() == SQLITE_DONE;
}

std::optional<Tally> tally(sqlite3* db, const char* table) {
  Query q(db, "select rows, sum from tallies where name = ?");
  q.bind(std::string(table));
  if (q.step() != SQLITE_ROW) return std::nullopt;
  Tally t;
  t.rows = q.whole();
  t.sum = q.whole();
  if (!q.fault().empty()) return std::nullopt;
  return t;
}

std::optional<bool> insert(sqlite3* db, const Record& r) {
  Query q(db,
          "insert or ignore into groups(campaign, test, test_hash, device, configuration, round_group, driver, "
          "binary_hash, plan_hash, "
          "what_ran, evidence, parameters, seed, launches, rounds, instances, corrupt, incomplete, filtered, waits, "
          "time_outs, seconds, "
          "device_seconds, finished_ms, series, series_lost, frame_missing, checksum) "
          "values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, r);
  const std::string series = packed(r.series);
  const uint64_t seal = checksum(r);
  q.bind(r.driver)
      .bind(r.binary_hash)
      .bind(r.plan_hash)
      .bind(r.what_ran)
      .bind(r.evidence)
      .bind(r.parameters)
      .bind(r.seed);
  q.bind(r.launches).bind(r.rounds).bind(r.instances).bind(r.corrupt).bind(r.incomplete).bind(r.filtered).bind(r.waits);
  q.bind(r.time_outs).bind(r.seconds).bind(r.device_seconds).bind(r.finished_ms);
  q.bind_blob(series.data(), series.size()).bind(r.series_lost).bind(r.frame_missing).bind(seal);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  if (sqlite3_changes(db) == 0) return false;
  const auto id = static_cast<uint64_t>(sqlite3_last_insert_rowid(db));
  for (const auto& [state, count] : r.states) {
    Query s(db, "insert into states(group_id, state, count) values(?,?,?)");
    s.bind(id).bind(state).bind(count);
    if (s.step() != SQLITE_DONE) return std::nullopt;
  }
  if (!add_to_tally(db, "groups", {1, seal})) return std::nullopt;
  return true;
}

std::optional<bool> insert(sqlite3* db, const ProgressRecord& r) {
  Query q(db,
          "insert or ignore into progress_runs(campaign, test, test_hash, device, mapping, variant, run, outcome, "
          "starved, driver, "
          "binary_hash, parameters, seed, instances, starved_instances, seconds, finished_ms, checksum) "
          "values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, r);
  q.bind(r.outcome).bind(r.starved).bind(r.driver).bind(r.binary_hash).bind(r.parameters).bind(r.seed);
  const uint64_t seal = checksum(r);
  q.bind(r.instances).bind(r.starved_instances).bind(r.seconds).bind(r.finished_ms).bind(seal);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  if (sqlite3_changes(db) == 0) return false;
  if (!add_to_tally(db, "progress_runs", {1, seal})) return std::nullopt;
  return true;
}

std::optional<bool> insert(sqlite3* db, const Trial& t) {
  Query q(db,
          "insert or ignore into trials(campaign, purpose, test, test_hash, device, configuration, part, driver, "
          "binary_hash, plan_hash, "
          "what_ran, evidence, parameters, mode, seed, lost, round_count, instances, events, rounds, states, corrupt, "
          "incomplete, filtered, "
          "waits, time_outs, seconds, finished_ms, checksum) "
          "values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bind_key(q, t);
  const std::string rounds = packed(t.rounds);
  q.bind(t.driver)
      .bind(t.binary_hash)
      .bind(t.plan_hash)
      .bind(t.what_ran)
      .bind(t.evidence)
      .bind(t.parameters)
      .bind(t.mode)
      .bind(t.seed);
  q.bind(t.lost)
      .bind(uint64_t{t.rounds.size()})
      .bind(t.instances())
      .bind(t.events())
      .bind_blob(rounds.data(), rounds.size());
  q.bind(states_text(t.states)).bind(t.corrupt).bind(t.incomplete).bind(t.filtered).bind(t.waits).bind(t.time_outs);
  const uint64_t seal = checksum(t);
  q.bind(t.seconds).bind(t.finished_ms).bind(seal);
  if (q.step() != SQLITE_DONE) return std::nullopt;
  if (sqlite3_changes(db) == 0) return false;
  if (!add_to_tally(db, "trials", {1, seal})) return std::nullopt;
  return true;
}

}  // namespace fencepost::store
