#include "hunt/ledger.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "store/sql.h"

namespace fencepost::hunt {

using store::Query;

namespace {

constexpr const char* k_schema = "fencepost.hunt/1";
constexpr const char* k_tables =
    "create table if not exists meta(key text primary key, value text not null);"
    "create table if not exists batches(configuration text, batch integer, states text not null,"
    " primary key(configuration, batch));"
    "create table if not exists findings(configuration text, test integer, effect text, culprit text, detail text);"
    "create index if not exists findings_by on findings(configuration, test);"
    "create table if not exists faults(signature text primary key, body text not null);";

nlohmann::json json_of(const Fault& f) {
  return {{"effect", f.effect},   {"culprit", f.culprit},     {"configuration", f.configuration},
          {"test", f.test},       {"reduced", f.reduced},     {"detail", f.detail},
          {"listing", f.listing}, {"right", f.right_listing}, {"right_where", f.right_where},
          {"known", f.known},     {"table", f.table},         {"reason", f.reason},
          {"repair", f.repair}};
}

Fault fault_of(const std::string& signature, const std::string& body) {
  const auto j = nlohmann::json::parse(body);
  Fault f;
  f.signature = signature;
  j.at("effect").get_to(f.effect);
  j.at("culprit").get_to(f.culprit);
  j.at("configuration").get_to(f.configuration);
  j.at("test").get_to(f.test);
  j.at("reduced").get_to(f.reduced);
  j.at("detail").get_to(f.detail);
  j.at("listing").get_to(f.listing);
  j.at("right").get_to(f.right_listing);
  j.at("right_where").get_to(f.right_where);
  j.at("known").get_to(f.known);
  j.at("table").get_to(f.table);
  f.reason = j.value("reason", "");
  f.repair = j.value("repair", "");
  return f;
}

}  // namespace

struct Ledger::Inside {
  std::string path, language;
  sqlite3* db = nullptr;
  uint64_t seed = 0, batch_size = 0;
  ~Inside() { sqlite3_close(db); }
  std::unexpected<Diagnostics> failed(const std::string& what) const { return store::failed(path, what, db); }
  std::string meta(const char* key) const {
    Query q(db, "select value from meta where key = ?");
    q.bind(std::string(key));
    return q.step() == SQLITE_ROW ? q.text() : std::string();
  }
  bool set_meta(const char* key, const std::string& value) const {
    Query q(db, "insert into meta values(?, ?)");
    return q.bind(std::string(key)).bind(value).step() == SQLITE_DONE;
  }
  bool insert(const std::string& configuration, const std::vector<Row>& rows) const {
    for (const Row& r : rows) {
      Query f(db, "insert into findings values(?, ?, ?, ?, ?)");
      if (f.bind(configuration).bind(r.test).bind(r.effect).bind(r.culprit).bind(r.detail).step() != SQLITE_DONE)
        return false;
    }
    return true;
  }
};

Ledger::Ledger(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;
uint64_t Ledger::seed() const { return inside_->seed; }
uint64_t Ledger::batch_size() const { return inside_->batch_size; }
const std::string& Ledger::language() const { return inside_->language; }

Expected<Ledger> Ledger::open(const std::string& path, uint64_t seed, uint64_t batch_size, const std::string& language,
                              const std::string& drawing) {
  auto in = std::make_unique<Inside>();
  in->path = path;
  if (sqlite3_open(path.c_str(), &in->db) != SQLITE_OK) return in->failed("cannot be opened");
  sqlite3_busy_timeout(in->db, 60'000);
  if (!store::run(in->db, "pragma journal_mode = wal")) return in->failed("is no store");
  {
    store::Transaction t(in->db);
    if (!t.begun() || !store::run(in->db, k_tables)) return in->failed("cannot be made a store of a hunt");
    if (in->meta("schema").empty() &&
        !(in->set_meta("schema", k_schema) && in->set_meta("seed", std::to_string(seed)) &&
          in->set_meta("batch", std::to_string(batch_size)) && in->set_meta("language", language) &&
          in->set_meta("drawing", drawing)))
      return in->failed("cannot be written");
    if (!t.commit()) return in->failed("cannot be written");
  }
  if (in->meta("schema") != k_schema)
    return error_at({}, fmt::format("{}: is no store of a hunt of this version", path), "give --store another name");
  if (in->meta("seed") != std::to_string(seed) || in->meta("batch") != std::to_string(batch_size))
    return error_at(
        {}, fmt::format("{}: was begun with seed {} and batches of {}", path, in->meta("seed"), in->meta("batch")),
        "give the same --seed, or --store another name");
  if (in->meta("language") != language)
    return error_at({}, fmt::format("{}: is the store of a hunt for another language", path),
                    "give the same --language, or --store another name");
  if (in->meta("drawing") != drawing)
    return error_at({}, fmt::format("{}: holds other programs than this version draws from its seed", path),
                    "give --store another name");
  in->language = language;
  in->seed = seed;
  in->batch_size = batch_size;
  return Ledger(std::move(in));
}

Expected<Ledger> Ledger::read(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return error_at({}, fmt::format("{}: there is no such store", path), "'fencepost hunt --store FILE' makes one");
  auto in = std::make_unique<Inside>();
  in->path = path;
  if (sqlite3_open_v2(path.c_str(), &in->db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
    return in->failed("cannot be opened");
  if (in->meta("schema") != k_schema) return error_at({}, fmt::format("{}: is no store of a hunt", path));
  in->seed = std::stoull(in->meta("seed"));
  in->batch_size = std::stoull(in->meta("batch"));
  in->language = in->meta("language");
  return Ledger(std::move(in));
}

Expected<bool> Ledger::has(const std::string& configuration, uint64_t batch) const {
  Query q(inside_->db, "select 1 from batches where configuration = ? and batch = ?");
  const int got = q.bind(configuration).bind(batch).step();
  if (got != SQLITE_ROW && got != SQLITE_DONE) return inside_->failed("cannot be read");
  return got == SQLITE_ROW;
}

Expected<void> Ledger::add(const std::string& configuration, uint64_t batch, const Batch& b) {
  store::Transaction t(inside_->db);
  if (!t.begun()) return inside_->failed("cannot be written");
  Query q(inside_->db, "insert or replace into batches values(?, ?, ?)");
  if (q.bind(configuration).bind(batch).bind(b.states).step() != SQLITE_DONE)
    return inside_->failed("cannot be written");
  if (!inside_->insert(configuration, b.rows) || !t.commit()) return inside_->failed("cannot be written");
  return {};
}

Expected<void> Ledger::note(const std::string& configuration, const std::vector<Row>& rows) {
  store::Transaction t(inside_->db);
  if (!t.begun() || !inside_->insert(configuration, rows) || !t.commit()) return inside_->failed("cannot be written");
  return {};
}

Expected<std::vector<std::string>> Ledger::configurations() const {
  Query q(inside_->db, "select distinct configuration from batches order by configuration");
  std::vector<std::string> out;
  while (q.step() == SQLITE_ROW) {
    out.push_back(q.text());
    q.next_row();
  }
  return out;
}

Expected<std::map<uint64_t, std::string>> Ledger::states(const std::string& configuration) const {
  Query q(inside_->db, "select batch, states from batches where configuration = ?");
  q.bind(configuration);
  std::map<uint64_t, std::string> out;
  while (q.step() == SQLITE_ROW) {
    const uint64_t batch = q.whole();
    out[batch] = q.text();
    q.next_row();
  }
  return out;
}

Expected<std::vector<Row>> Ledger::findings(const std::string& configuration) const {
  Query q(inside_->db,
          "select test, effect, culprit, detail from findings where configuration = ? order by test, effect, culprit");
  q.bind(configuration);
  std::vector<Row> out;
  while (q.step() == SQLITE_ROW) {
    Row r;
    r.test = q.whole();
    r.effect = q.text();
    r.culprit = q.text();
    r.detail = q.text();
    out.push_back(std::move(r));
    q.next_row();
  }
  return out;
}

Expected<void> Ledger::keep(const Fault& f) {
  Query q(inside_->db, "insert or replace into faults values(?, ?)");
  if (q.bind(f.signature).bind(json_of(f).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)).step() !=
      SQLITE_DONE)
    return inside_->failed("cannot be written");
  return {};
}

Expected<std::vector<Fault>> Ledger::faults() const {
  Query q(inside_->db, "select signature, body from faults order by signature");
  std::vector<Fault> out;
  while (q.step() == SQLITE_ROW) {
    const std::string signature = q.text();
    try {
      out.push_back(fault_of(signature, q.text()));
    } catch (const nlohmann::json::exception&) {
      return error_at({}, fmt::format("{}: the fault '{}' cannot be read", inside_->path, signature));
    }
    q.next_row();
  }
  return out;
}

}  // namespace fencepost::hunt
