#include "fairness/kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "trial/session.h"

namespace fencepost::fairness {
namespace {

// "2t3i/9" before "2t3i/10": digits are compared as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (!digit(a[i]) || !digit(b[k])) {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
      continue;
    }
    const auto number = [&](std::string_view s, size_t& at) {
      while (at < s.size() && s[at] == '0') ++at;
      const size_t from = at;
      while (at < s.size() && digit(s[at])) ++at;
      return s.substr(from, at - from);
    };
    const std::string_view x = number(a, i), y = number(b, k);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if ((i < a.size()) != (k < b.size())) return k < b.size();
  return a < b;
}

// "inter-workgroup total=60 seed=3" -> "inter-workgroup seed=3" and "total=60".
std::pair<std::string, std::string> without_total(const std::string& variant) {
  const size_t at = variant.find(" total=");
  if (at == std::string::npos) return {variant, ""};
  const size_t end = std::min(variant.find(' ', at + 1), variant.size());
  return {variant.substr(0, at) + variant.substr(end), variant.substr(at + 1, end - at - 1)};
}

double limit_of(const std::string& parameters) {
  const std::string_view key = "limit=";
  return parameters.starts_with(key) ? std::strtod(parameters.c_str() + key.size(), nullptr) : 0;
}

exports::Order order_of(const std::string& variant) {
  const std::string_view key = " order=";
  const size_t at = variant.find(key);
  if (at == std::string::npos) return exports::Order::relaxed;
  const size_t from = at + key.size();
  return exports::order_from(variant.substr(from, variant.find(' ', from) - from)).value_or(exports::Order::relaxed);
}

bool chosen(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

Expected<void> known(const std::vector<std::string>& wanted, const std::set<std::string>& have, const char* what) {
  const std::vector<std::string> names(have.begin(), have.end());
  for (const std::string& w : wanted) {
    if (have.contains(w)) continue;
    const std::string near = nearest(w, names);
    return error_at({}, fmt::format("no run is of {} '{}'", what, w),
                    near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  return {};
}

struct ByName {
  bool operator()(const std::pair<std::string, std::string>& a, const std::pair<std::string, std::string>& b) const {
    if (a.first != b.first) return natural_less(a.first, b.first);
    return a.second < b.second;
  }
};
using TestKey = std::pair<std::string, std::string>;  // name, hash
using ColumnKey = std::tuple<std::string, std::string, std::string>;

class Collector {
 public:
  explicit Collector(const Choice& choice) : choice_(choice) {}

  Expected<void> add(const store::Store& store) {
    const auto records = store.progress_records();
    if (!records) return std::unexpected(records.error());
    for (const store::ProgressRecord& r : *records) {
      tests_seen_.insert(r.test), devices_seen_.insert(r.device), mappings_seen_.insert(r.mapping);
      if (!chosen(choice_.tests, r.test) || !chosen(choice_.devices, r.device) || !chosen(choice_.mappings, r.mapping))
        continue;
      if (!keys_.emplace(r.test, r.test_hash, r.device, r.mapping, r.variant, r.run).second) continue;
      const TestKey key{r.test, r.test_hash};
      if (!tests_.contains(key)) {
        auto test = read(store, r);
        if (!test) return std::unexpected(test.error());
        tests_.emplace(key, std::move(*test));
      }
      const auto [variant, total] = without_total(r.variant);
      totals_[{r.device, variant, r.mapping, r.test, r.test_hash}].insert(total);
      records_.push_back(r);
    }
    return {};
  }

  Expected<Kept> finish() {
    for (const auto& ok : {known(choice_.tests, tests_seen_, "test"), known(choice_.devices, devices_seen_, "device"),
                           known(choice_.mappings, mappings_seen_, "mapping")})
      if (!ok) return std::unexpected(ok.error());
    std::set<ColumnKey> several;  // columns in which a test ran with several totals
    for (const auto& [key, totals] : totals_)
      if (totals.size() > 1) several.emplace(std::get<0>(key), std::get<1>(key), std::get<2>(key));
    Kept out;
    std::map<TestKey, uint32_t, ByName> test_at;
    for (auto& [key, test] : tests_) {
      test_at.emplace(key, static_cast<uint32_t>(out.tests.size()));
      out.tests.push_back(std::move(test));
    }
    std::map<ColumnKey, uint32_t> column_at;
    const auto column_of = [&](const store::ProgressRecord& r) {
      const std::string variant = without_total(r.variant).first;
      return ColumnKey{r.device, several.contains({r.device, variant, r.mapping}) ? r.variant : variant, r.mapping};
    };
    for (const store::ProgressRecord& r : records_) column_at.emplace(column_of(r), 0);
    for (auto& [key, at] : column_at) {
      at = static_cast<uint32_t>(out.columns.size());
      const auto& [device, variant, mapping] = key;
      out.columns.push_back({device, variant, mapping, "", 0, 0, order_of(variant), trial::any_order(variant)});
    }
    std::map<std::pair<uint32_t, uint32_t>, Cell> cells;
    for (const store::ProgressRecord& r : records_) {
      const auto run = trial::run_of(r);
      if (!run) return std::unexpected(run.error());
      if (r.parameters.find(",what_ran=dropped") != std::string::npos) {
        ++out.dropped;
        continue;
      }
      ++out.runs;
      const uint32_t test = test_at.at({r.test, r.test_hash}), at = column_at.at(column_of(r));
      Column& column = out.columns[at];
      const double limit = limit_of(r.parameters);
      column.least_limit =
          column.driver.empty() && column.largest_limit == 0 ? limit : std::min(column.least_limit, limit);
      column.largest_limit = std::max(column.largest_limit, limit);
      column.driver = r.driver;
      Cell& cell = cells[{test, at}];
      cell.test = test, cell.column = at;
      cell.runs.add(*run);
      cell.waiting |= run->waiting, cell.unstarted |= run->unstarted;
      cell.instances += run->instances, cell.starved_instances += run->starved_instances;
      cell.seconds += run->seconds;
    }
    for (auto& [key, cell] : cells) out.cells.push_back(cell);
    return out;
  }

 private:
  static Expected<axb::Test> read(const store::Store& store, const store::ProgressRecord& r) {
    const auto text = store.test(r.test_hash);
    if (!text) return std::unexpected(text.error());
    if (!*text) return error_at({}, fmt::format("the store has runs of {} and not its text", r.test));
    auto tests = axb::parse(make_source(r.test, **text));
    if (!tests) return std::unexpected(tests.error());
    axb::Test test = std::move(tests->front());
    test.name = r.test;
    return test;
  }

  const Choice& choice_;
  std::set<std::string> tests_seen_, devices_seen_, mappings_seen_;
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::string, uint32_t>> keys_;
  std::map<TestKey, axb::Test, ByName> tests_;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::set<std::string>> totals_;
  std::vector<store::ProgressRecord> records_;
};

}  // namespace

Expected<Kept> kept_runs(const std::vector<store::Store>& stores, const Choice& choice) {
  Collector c(choice);
  for (const store::Store& s : stores)
    if (const auto ok = c.add(s); !ok) return std::unexpected(ok.error());
  return c.finish();
}

Expected<Survey> survey(const Kept& kept, const std::vector<fair::Model>& models) {
  Survey out;
  out.models = models;
  std::vector<fair::Model> asked = models;
  auto fair = fair::load_model("fair");
  if (!fair) return std::unexpected(fair.error());
  asked.push_back(std::move(*fair));
  oracle::Decider decider(asked);
  for (const axb::Test& t : kept.tests) {
    const auto decided = decider(t);
    if (!decided) return std::unexpected(decided.error());
    if (!*decided) return unsupported_at({}, fmt::format("{} has too many states to decide", t.name));
    out.verdicts.emplace_back((*decided)->begin(), (*decided)->end() - 1);
    out.weak.push_back((*decided)->back().weak);
  }
  out.rows.resize(kept.columns.size());
  for (uint32_t c = 0; c < kept.columns.size(); ++c) out.rows[c].column = c;
  std::map<std::pair<std::string, std::string>, std::vector<Result>> groups;
  for (const Cell& cell : kept.cells) {
    const Column& column = kept.columns[cell.column];
    ColumnRow& row = out.rows[cell.column];
    const Frequency f = frequency(cell.runs);
    ++row.tests;
    ++(f == Frequency::never ? row.never : f == Frequency::always ? row.always : row.sometimes);
    row.hung += cell.runs.hung > 0;
    const bool starved = f != Frequency::never;
    ++(out.weak[cell.test] ? row.weak : row.strong);
    (out.weak[cell.test] ? row.weak_starved : row.strong_starved) += starved;
    row.runs += cell.runs.total;
    row.seconds += cell.seconds;
    groups[{column.device, column.variant}].push_back(
        {cell.test, column.mapping, column.order, cell.runs, column.any_order});
  }
  for (const auto& [key, results] : groups) {
    auto summary = summarise(kept.tests, results, models);
    if (!summary) return std::unexpected(summary.error());
    out.groups.push_back({key.first, key.second, std::move(*summary)});
  }
  return out;
}

bool violates(const Survey& s) {
  return std::any_of(s.groups.begin(), s.groups.end(), [](const Group& g) {
    return std::any_of(g.summary.models.begin(), g.summary.models.end(),
                       [](const ModelRow& m) { return !m.violated.empty(); });
  });
}

}  // namespace fencepost::fairness
