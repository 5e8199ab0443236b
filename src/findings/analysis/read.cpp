#include "analysis/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/read_parts.h"
#include "base/read_file.h"
#include "campaign/identity.h"
#include "campaign/plan_file.h"
#include "explicit/interleave.h"
#include "plan/parameters.h"
#include "plan/plan.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::analysis {
namespace {

namespace fs = std::filesystem;

// Rounds of one store that are kept as a series; beyond, none is (table.h, law 3).
constexpr size_t k_most_rounds = 4'000'000;

// What is known of a test whose rows a store holds.
struct Known {
  prog::Test test;
  std::vector<prog::Observable> observables;
  explicit_state::Interleavings interleavings;
};

Expected<Known> known_of(const store::Store& store, const std::string& name, const std::string& hash) {
  const auto text = store.test(hash);
  if (!text) return std::unexpected(text.error());
  if (!*text)
    return error_at({}, fmt::format("the store lacks the text of test '{}'", name),
                    "it was written by hand, or by another program");
  auto test = read::parse_one(make_source(name, **text));
  if (!test) return std::unexpected(test.error());
  Known k;
  k.test = std::move(*test);
  k.observables = prog::observables(k.test);
  k.interleavings = explicit_state::interleavings(k.test, k.observables);
  return k;
}

// Places of weak outcomes in the order of instances, when the record has all of them.
void add_series(Cell& cell, const store::Record& r, const std::vector<bool>& asked, uint64_t weak, bool& whole) {
  uint64_t events = 0;
  for (const store::Event& e : r.series) events += e.state < asked.size() && asked[e.state] ? 1 : 0;
  const uint64_t rounds = r.launches * r.rounds;
  if (r.series_lost != 0 || events != weak || rounds == 0 || cell.rounds.size() + rounds > k_most_rounds) {
    whole = false;
    return;
  }
  std::vector<double> counts(rounds, 0);
  std::vector<uint64_t> places;
  const uint64_t per_round = r.instances / rounds;
  for (const store::Event& e : r.series) {
    if (e.state >= asked.size() || !asked[e.state]) continue;
    const uint64_t round = e.launch * r.rounds + e.round;
    if (round >= rounds) {
      whole = false;
      return;
    }
    counts[round] += 1;
    places.push_back(round * per_round + e.instance + 1);
  }
  cell.rounds.insert(cell.rounds.end(), counts.begin(), counts.end());
  std::sort(places.begin(), places.end());
  // The first gap of a group begins where the group does: what came before had other parameters.
  const auto gaps = stats::inter_arrival_counts(places);
  cell.gaps.insert(cell.gaps.end(), gaps.begin(), gaps.end());
}

}  // namespace

namespace {

// Rows of a store on their way into a table.
class Reader {
 public:
  Reader(const store::Store& store, Table& out) : store_(store), out_(out) {}

  // Tests with one title and different texts are different tests where one device ran both. On two devices they are one
  // test in two dialects. Configurations of several campaigns are different.
  template <class Row>
  void announce(const Row& r) {
    auto& hashes = hashes_[{r.test, r.device}];
    hashes.insert(r.test_hash);
    if (hashes.size() > 1) ambiguous_.insert(r.test);
    campaigns_.insert(r.campaign);
  }
  template <class Row>
  Cell& place(const Row& r, const std::string& own, bool comparable = true) {
    const std::string test =
        !ambiguous_.contains(r.test) ? r.test : fmt::format("{} #{}", r.test, r.test_hash.substr(0, 6));
    const std::string configuration = campaigns_.size() == 1 || r.campaign.empty() ? own : r.campaign + "/" + own;
    const uint32_t d = out_.device(r.device), t = out_.test(test), c = out_.configuration(configuration);
    if (!comparable) out_.incomparable.insert(c);
    if (const size_t at = r.test.find('~'); at != std::string::npos) {
      out_.tests[t].mutator = "one-step weakening";
      out_.tests[t].parent = r.test.substr(0, at);
    } else if (const size_t two = r.test.find("--"), last = r.test.rfind('-');
               two != std::string::npos && two > 0 && last > two + 1) {
      out_.tests[t].mutator = r.test.substr(two + 2, last - two - 2);  // as `suite --mutants` writes them
      out_.tests[t].parent = r.test.substr(0, two);
    }
    return out_.at(d, t, c);
  }

  struct Counted {
    uint64_t weak = 0;
    std::vector<bool> asked;  // by state, in the order of the row
  };
  // Adds the counts of a row's states, weak or not and by kind.
  template <class Row>
  Expected<Counted> count(const Row& r, Cell& cell) {
    auto it = tests_.find(r.test_hash);
    if (it == tests_.end()) {
      auto k = known_of(store_, r.test, r.test_hash);
      if (!k) return std::unexpected(k.error());
      it = tests_.emplace(r.test_hash, std::move(*k)).first;
      if (!it->second.interleavings.complete)
        out_.remarks.push_back(
            fmt::format("{}: its interleavings could not be listed, so its states are not split", r.test));
    }
    const Known& known = it->second;
    Counted n;
    if (known.interleavings.complete && !cell.split) cell.split = Split{};
    for (const auto& [text, count] : r.states) {
      const auto s = campaign::state_from(known.observables, text);
      if (!s) return error_at({}, fmt::format("the store has a state '{}' that test '{}' does not have", text, r.test));
      n.asked.push_back(campaign::asked_about(known.test, known.observables, *s));
      if (n.asked.back()) n.weak += count;
      if (!known.interleavings.complete) continue;
      uint64_t& kind = known.interleavings.sequential.contains(*s) ? cell.split->sequential
                       : known.interleavings.all.contains(*s)      ? cell.split->interleaved
                                                                   : cell.split->weak;
      kind += count;
    }
    out_.facts.resize(out_.devices.size());
    Facts& facts = out_.facts[out_.device(r.device)];
    facts.drivers.insert(r.driver);
    facts.what_ran[r.what_ran].insert(r.test + r.test_hash);
    facts.evidence[r.evidence].insert(r.test + r.test_hash);
    facts.incomplete += r.incomplete;
    facts.waits += r.waits;
    facts.time_outs += r.time_outs;
    cell.measured = true;
    cell.weak += n.weak;
    cell.corrupt += r.corrupt;
    cell.seconds += r.seconds;
    return n;
  }

 private:
  const store::Store& store_;
  Table& out_;
  std::map<std::string, Known> tests_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> hashes_;  // by title and device
  std::set<std::string> ambiguous_, campaigns_;
};

std::string how_text(const std::string& mode, const std::string& region, const std::string& parameters) {
  return fmt::format("mode = \"{}\"\nregion = \"{}\"\nparameters = \"{}\"\n", mode, region, parameters);
}

// What plans and searches of the store say of their configurations, as lines of a plan. A plan that cannot be read says
// nothing.
class HowRun {
 public:
  explicit HowRun(const store::Store& store) : store_(store) {}
  std::string of(const store::Record& r) {
    const auto plan = plans_.try_emplace(r.campaign, std::nullopt);
    if (plan.second)
      if (auto text = store_.plan(r.campaign); text && *text)
        if (auto read = campaign::read_plan(make_source("plan", **text))) plan.first->second = std::move(*read);
    if (!plan.first->second) return "";
    for (const campaign::Configuration& c : plan.first->second->configurations)
      if (c.name == r.configuration && c.applies(r.test))
        return how_text(plan::name(c.options.shape.mode), plan::name(c.options.shape.region),
                        plan::to_string(c.options.parameters));
    return "";
  }
  // The plan of a search has a line "region = NAME".
  std::string of(const store::Trial& t) {
    const auto region = regions_.try_emplace(t.campaign);
    if (region.second)
      if (auto text = store_.plan(t.campaign); text && *text)
        if (const size_t at = (*text)->find("\nregion = "); at != std::string::npos) {
          const size_t from = at + std::string_view("\nregion = ").size();
          region.first->second = (*text)->substr(from, (*text)->find('\n', from) - from);
        }
    return region.first->second.empty() ? "" : how_text(t.mode, region.first->second, t.parameters);
  }

 private:
  const store::Store& store_;
  std::map<std::string, std::optional<campaign::Plan>> plans_;
  std::map<std::string, std::string> regions_;
};

// Tuning's configurations are numbers; those that a search gave up early are not comparable with those of a data set.
std::string name_of(const store::Trial& t) {
  return t.purpose == "explore" ? t.configuration : t.purpose + " " + t.configuration;
}

}  // namespace

Expected<Table> read_store(const store::Store& store, const store::Filter& filter) {
  const auto records = store.records(filter);
  if (!records) return std::unexpected(records.error());
  const auto trials = store.trials(filter);
  if (!trials) return std::unexpected(trials.error());
  Table out;
  out.format = "store";
  Reader reader(store, out);
  for (const store::Record& r : *records) reader.announce(r);
  for (const store::Trial& t : *trials) reader.announce(t);
  // All cells are made before any is pointed at.
  for (const store::Record& r : *records) reader.place(r, r.configuration);
  for (const store::Trial& t : *trials) reader.place(t, name_of(t), t.purpose == "explore");
  std::map<Cell*, bool> whole;
  HowRun how(store);
  for (const store::Record& r : *records) {
    Cell& cell = reader.place(r, r.configuration);
    const auto n = reader.count(r, cell);
    if (!n) return std::unexpected(n.error());
    const auto series = whole.try_emplace(&cell, true).first;
    if (series->second) add_series(cell, r, n->asked, n->weak, series->second);
    if (n->weak > r.instances)
      return error_at(
          {}, fmt::format("the store has {} weak outcomes among {} instances of '{}'", n->weak, r.instances, r.test));
    Facts& facts = out.facts[out.device(r.device)];
    facts.device_seconds += r.device_seconds;
    ++facts.groups;
    cell.instances += r.instances;
    if (cell.how.empty()) cell.how = how.of(r);
    cell.batches.push_back({static_cast<double>(n->weak), static_cast<double>(r.instances), r.seconds});
  }
  for (const auto& [cell, complete] : whole)
    if (!complete) {
      cell->rounds.clear();
      cell->gaps.clear();
    }
  for (const store::Trial& t : *trials) {
    if (t.rounds.empty()) continue;  // lost
    Cell& cell = reader.place(t, name_of(t));
    const auto n = reader.count(t, cell);
    if (!n) return std::unexpected(n.error());
    if (n->weak > t.instances())
      return error_at(
          {}, fmt::format("the store has {} weak outcomes among {} instances of '{}'", n->weak, t.instances(), t.test));
    Facts& facts = out.facts[out.device(t.device)];
    facts.groups += t.rounds.size();
    if (cell.how.empty()) cell.how = how.of(t);
    for (const store::Round& r : t.rounds) {
      facts.device_seconds += static_cast<double>(r.device_nanoseconds) * 1e-9;
      cell.instances += r.instances;
      cell.batches.push_back(
          {static_cast<double>(r.events), static_cast<double>(r.instances), static_cast<double>(r.nanoseconds) * 1e-9});
    }
  }
  return out;
}

namespace {

Expected<Table> read_file_of_results(const std::string& path, const store::Filter& filter) {
  if (path != "-" && store::is_database(path)) {
    const auto store = store::Store::read(path);
    if (store) {
      auto table = read_store(*store, filter);
      if (table && !store->warning().empty()) table->remarks.push_back(store->warning());
      return table;
    }
    auto base = read_base(path);
    // A store that cannot be read says more of it than that it is no base.
    return base ? base
                : std::unexpected(store.error().list.front().message.find("another program") != std::string::npos
                                      ? base.error()
                                      : store.error());
  }
  const auto source = read_file(path);
  if (!source) return std::unexpected(source.error());
  return read_text(*source, fs::path(path).stem().string());
}

void join(Table& into, const Table& from) {
  for (uint32_t d = 0; d < from.devices.size(); ++d)
    for (uint32_t t = 0; t < from.tests.size(); ++t) {
      const uint32_t test = into.test(from.tests[t].name);
      into.tests[test] = from.tests[t];
      for (uint32_t c = 0; c < from.configurations.size(); ++c)
        if (const Cell& cell = from.at(d, t, c); cell.measured)
          into.at(into.device(from.devices[d]), test, into.configuration(from.configurations[c])) = cell;
    }
  into.remarks.insert(into.remarks.end(), from.remarks.begin(), from.remarks.end());
  into.sightings = into.sightings || from.sightings;
}

}  // namespace

Expected<Table> read(const std::string& path, const store::Filter& filter) {
  std::error_code failed;
  if (path == "-" || !fs::is_directory(path, failed)) {
    auto t = read_file_of_results(path, filter);
    if (t) t->name = path;
    return t;
  }
  std::vector<std::string> files;
  fs::directory_iterator entries(path, failed), end;
  for (; !failed && entries != end; entries.increment(failed)) {
    std::error_code gone;
    if (entries->is_directory(gone)) continue;
    if (auto ok = can_be_read(entries->path().string()); !ok) return std::unexpected(ok.error());
    files.push_back(entries->path().string());
  }
  if (failed) return error_at({}, fmt::format("the folder '{}' cannot be read: {}", path, failed.message()));
  std::sort(files.begin(), files.end());
  Table all;
  all.name = path;
  for (const std::string& f : files) {
    auto t = read_file_of_results(f, filter);
    if (!t) {
      all.remarks.push_back(
          fmt::format("{} is left out: {}", fs::path(f).filename().string(), t.error().list.front().message));
      continue;
    }
    all.format = all.format.empty() || all.format == t->format ? t->format : "several forms";
    join(all, *t);
  }
  if (all.measured() == 0)
    return error_at({}, fmt::format("'{}' has no file that is a result set", path),
                    "docs/stats.md says which forms are read");
  all.format += " folder";
  return all;
}

}  // namespace fencepost::analysis
