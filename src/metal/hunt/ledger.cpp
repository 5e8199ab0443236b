#include "hunt/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/markdown.h"
#include "base/printable.h"
#include "hunt/gate_print.h"
#include "store/sql.h"

namespace fencepost::hunt {

using store::Query;

namespace {

constexpr uint64_t k_most_batches = uint64_t{1} << 40;
constexpr const char* k_schema = "fencepost.hunt/1";
constexpr const char* k_tables =
    "create table if not exists meta(key text primary key, value text not null);"
    "create table if not exists batches(configuration text, batch integer, states text not null,"
    " primary key(configuration, batch));"
    "create table if not exists findings(configuration text, test integer, effect text, culprit text, detail text);"
    "create index if not exists findings_by on findings(configuration, test);"
    "create table if not exists faults(signature text primary key, body text not null);";

bool number(const std::string& text, uint64_t& out) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

nlohmann::json json_of(const Fault& f) {
  return {{"effect", f.effect},   {"culprit", f.culprit},     {"configuration", f.configuration},
          {"test", f.test},       {"reduced", f.reduced},     {"detail", f.detail},
          {"listing", f.listing}, {"right", f.right_listing}, {"right_where", f.right_where},
          {"known", f.known},     {"table", f.table},         {"reason", f.reason},
          {"repair", f.repair},   {"toolkit", f.toolkit},     {"listings", f.listings}};
}

// "ptxas-13.5.37 sm_90 -O3": a compiler, a target and options.
bool is_configuration(const std::string& text) {
  return std::ranges::count(text, ' ') >= 2 && text.front() != ' ' && text.back() != ' ' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view(" ._+=,:/-").find(c) != std::string_view::npos;
         });
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
  f.toolkit = j.value("toolkit", "");
  if (j.contains("listings")) j.at("listings").get_to(f.listings);
  // A folder of the report is called by it.
  if (f.effect.empty() || f.effect.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos)
    throw nlohmann::json::other_error::create(0, "no effect", nullptr);
  // Commands of the report, which people paste, are made of these.
  std::vector<std::string> configurations = {f.configuration};
  for (const auto& row : f.table) configurations.push_back(row.first);
  for (const auto& row : f.listings) configurations.push_back(row.first);
  if (!f.right_where.empty()) configurations.push_back(f.right_where.substr(0, f.right_where.find(", as ")));
  if (!std::ranges::all_of(configurations, is_configuration))
    throw nlohmann::json::other_error::create(0, "no configuration", nullptr);
  for (std::string* text : {&f.signature, &f.culprit, &f.configuration, &f.test, &f.reduced, &f.detail, &f.right_where,
                            &f.known, &f.repair, &f.toolkit})
    *text = printable_name(*text);
  for (std::string* text : {&f.listing, &f.right_listing, &f.reason}) *text = printable(*text);
  for (auto& row : f.listings) row.second = printable(row.second);
  return f;
}

}  // namespace

struct Ledger::Inside {
  std::string path, language, gate;
  sqlite3* db = nullptr;
  uint64_t seed = 0, batch_size = 0;
  ~Inside() { sqlite3_close(db); }
  std::unexpected<Diagnostics> failed(const std::string& what) const { return store::failed(path, what, db); }
  std::unexpected<Diagnostics> bad_row(const char* table, const Query& q) const {
    return error_at({}, fmt::format("{}: a row of its {} cannot be read: {}", path, table, q.fault()));
  }
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
bool Ledger::is_of_this_gate() const { return inside_->gate == gate_print(); }

Expected<Ledger> Ledger::open(const std::string& path, uint64_t seed, uint64_t batch_size, const std::string& language,
                              const std::string& drawing) {
  const std::string gate = language.empty() ? gate_print() : "";
  auto in = std::make_unique<Inside>();
  in->path = path;
  if (sqlite3_open(path.c_str(), &in->db) != SQLITE_OK) return in->failed("cannot be opened");
  sqlite3_busy_timeout(in->db, 60'000);
  if (!store::run(in->db, "pragma journal_mode = wal")) return in->failed("is not a store");
  {
    store::Transaction t(in->db);
    if (!t.begun() || !store::run(in->db, k_tables)) return in->failed("cannot be made a store of a hunt");
    if (in->meta("schema").empty() &&
        !(in->set_meta("schema", k_schema) && in->set_meta("seed", std::to_string(seed)) &&
          in->set_meta("batch", std::to_string(batch_size)) && in->set_meta("language", language) &&
          in->set_meta("drawing", drawing) && in->set_meta("gate", gate)))
      return in->failed("cannot be written");
    if (!t.commit()) return in->failed("cannot be written");
  }
  if (in->meta("schema") != k_schema)
    return error_at({}, fmt::format("{}: is not a store of a hunt of this version", path), "give --store another name");
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
  if (in->meta("gate") != gate)
    return error_at({}, fmt::format("{}: its tests were judged by the gate of another version", path),
                    "give --store another name; 'fencepost hunt report' judges the records of its faults again");
  in->language = language;
  in->gate = gate;
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
  if (in->meta("schema") != k_schema) return error_at({}, fmt::format("{}: is not a store of a hunt", path));
  if (!number(in->meta("seed"), in->seed) || !number(in->meta("batch"), in->batch_size) || in->batch_size == 0)
    return error_at({}, fmt::format("{}: its seed or its size of batches cannot be read", path));
  in->language = in->meta("language");
  in->gate = in->meta("gate");
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
  int got = q.step();
  for (; got == SQLITE_ROW; got = q.step()) {
    out.push_back(printable_name(q.text()));
    if (!q.fault().empty()) return inside_->bad_row("batches", q);
    q.next_row();
  }
  if (got != SQLITE_DONE) return inside_->failed("cannot be read");
  return out;
}

Expected<std::map<uint64_t, std::string>> Ledger::states(const std::string& configuration) const {
  Query q(inside_->db, "select batch, states from batches where configuration = ?");
  q.bind(configuration);
  std::map<uint64_t, std::string> out;
  int got = q.step();
  for (; got == SQLITE_ROW; got = q.step()) {
    const uint64_t batch = q.whole();
    out[batch] = q.text();
    if (!q.fault().empty()) return inside_->bad_row("batches", q);
    if (batch >= k_most_batches || out[batch].size() != inside_->batch_size ||
        out[batch].find_first_not_of("rafnxcvu") != std::string::npos)
      return error_at({}, fmt::format("{}: batch {} of '{}' cannot be read", inside_->path, batch, configuration));
    q.next_row();
  }
  if (got != SQLITE_DONE) return inside_->failed("cannot be read");
  return out;
}

Expected<std::vector<Row>> Ledger::findings(const std::string& configuration) const {
  Query q(inside_->db,
          "select test, effect, culprit, detail from findings where configuration = ? order by test, effect, culprit");
  q.bind(configuration);
  std::vector<Row> out;
  int got = q.step();
  for (; got == SQLITE_ROW; got = q.step()) {
    Row r;
    r.test = q.whole();
    r.effect = printable_name(q.text());
    r.culprit = printable_name(q.text());
    r.detail = printable(q.text());
    if (!q.fault().empty()) return inside_->bad_row("findings", q);
    if (r.test / inside_->batch_size >= k_most_batches)
      return error_at({},
                      fmt::format("{}: a row of its findings cannot be read: there is no such test", inside_->path));
    out.push_back(std::move(r));
    q.next_row();
  }
  if (got != SQLITE_DONE) return inside_->failed("cannot be read");
  return out;
}

Fault for_markdown(Fault f) {
  for (std::string* prose : {&f.signature, &f.toolkit}) *prose = markdown_text(*prose);
  for (auto& row : f.table) row.second = markdown_text(row.second);
  for (std::string* span : {&f.culprit, &f.test, &f.reduced, &f.detail}) std::ranges::replace(*span, '`', '\'');
  for (std::string* block : {&f.listing, &f.right_listing, &f.reason})
    for (size_t at = 0; (at = block->find("```", at)) != std::string::npos;) block->replace(at, 3, "\'\'\'");
  return f;
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
  int got = q.step();
  for (; got == SQLITE_ROW; got = q.step()) {
    const std::string signature = q.text(), body = q.text();
    if (!q.fault().empty()) return inside_->bad_row("faults", q);
    try {
      out.push_back(fault_of(signature, body));
    } catch (const nlohmann::json::exception&) {
      return error_at({}, fmt::format("{}: the fault '{}' cannot be read", inside_->path, printable_name(signature)));
    }
    q.next_row();
  }
  if (got != SQLITE_DONE) return inside_->failed("cannot be read");
  return out;
}

}  // namespace fencepost::hunt
