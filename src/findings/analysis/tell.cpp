#include "analysis/tell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "stats/reproduce.h"

namespace fencepost::analysis {
namespace {

using Json = nlohmann::ordered_json;

std::string interval(const stats::Interval& i) { return fmt::format("{:.2g}..{:.2g}", i.lower, i.upper); }
std::string percent(double part, double all) { return all <= 0 ? "-" : fmt::format("{:.1f} %", 100 * part / all); }
const char* plural(uint64_t n) { return n == 1 ? "" : "s"; }

// Columns as wide as their widest cell; the first is left-aligned.
class Columns {
 public:
  explicit Columns(std::vector<std::string> heads) { rows_.push_back(std::move(heads)); }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(size_t most) const {
    std::vector<size_t> width(rows_.front().size(), 0);
    const size_t shown = most == 0 ? rows_.size() : std::min(rows_.size(), most + 1);
    for (size_t r = 0; r < shown; ++r)
      for (size_t c = 0; c < rows_[r].size(); ++c) width[c] = std::max(width[c], rows_[r][c].size());
    std::string out;
    for (size_t r = 0; r < shown; ++r) {
      std::string line = " ";
      for (size_t c = 0; c < rows_[r].size(); ++c)
        line += c == 0 ? fmt::format(" {:<{}}", rows_[r][c], width[c]) : fmt::format("  {:>{}}", rows_[r][c], width[c]);
      while (line.back() == ' ') line.pop_back();
      out += line + "\n";
    }
    if (shown < rows_.size())
      out += fmt::format("  ... and {} more (--all shows them, --csv and --json have them)\n", rows_.size() - shown);
    return out;
  }
  bool empty() const { return rows_.size() == 1; }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "MP on cuda X"; the device only where there are several.
std::string where(const Table& t, uint32_t device, uint32_t test) {
  return t.devices.size() == 1 ? t.tests[test].name : fmt::format("{} on {}", t.tests[test].name, t.devices[device]);
}

std::string overview(const Table& t, const Analysis& a) {
  std::string out = fmt::format("{}: {}, {} test{}, {} device{}, {} configuration{}, {} results\n", t.name, t.format,
                                t.tests.size(), plural(t.tests.size()), t.devices.size(), plural(t.devices.size()),
                                t.configurations.size(), plural(t.configurations.size()), t.measured());
  if (!t.sightings)
    out += fmt::format(
        "{} instances{}, {} weak; weak in {} of {} combinations of test and device, and in {} of {} results\n",
        count_text(static_cast<double>(t.instances())), t.seconds() > 0 ? fmt::format(" in {:.3g} s", t.seconds()) : "",
        count_text(static_cast<double>(t.weak())), a.seen, a.combinations, a.sightings, t.measured());
  for (uint32_t d = 0; t.sightings && d < t.devices.size(); ++d) {
    uint32_t seen = 0, of = 0;
    std::vector<std::pair<std::string, std::pair<uint32_t, uint32_t>>> by;
    for (const Row& r : a.rows) {
      if (r.device != d) continue;
      ++of;
      seen += r.weak > 0 ? 1 : 0;
      const std::string& v = t.tests[r.test].verdict;
      auto it = std::find_if(by.begin(), by.end(), [&](const auto& b) { return b.first == v; });
      if (it == by.end()) it = by.insert(by.end(), {v, {0, 0}});
      ++it->second.second;
      it->second.first += r.weak > 0 ? 1 : 0;
    }
    out += fmt::format("{}: {} of {} tests seen", t.devices[d], seen, of);
    for (const auto& [v, n] : by)
      out += fmt::format("; {} of {} {}", n.first, n.second, v.empty() ? "without a verdict" : v);
    out += "\n";
  }
  if (t.sightings && !t.devices.empty()) {
    uint32_t never = 0;
    std::vector<std::pair<std::string, uint32_t>> by;
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      bool seen = false;
      for (const Row& r : a.rows) seen = seen || (r.test == k && r.weak > 0);
      if (seen) continue;
      ++never;
      const std::string& v = t.tests[k].verdict;
      auto it = std::find_if(by.begin(), by.end(), [&](const auto& b) { return b.first == v; });
      if (it == by.end()) it = by.insert(by.end(), {v, 0});
      ++it->second;
    }
    out += fmt::format("seen nowhere: {}", never);
    for (const auto& [v, n] : by) out += fmt::format("; {} {}", n, v.empty() ? "without a verdict" : v);
    out += "\n";
  }
  for (const std::string& r : t.remarks) out += r + "\n";
  return out;
}

std::string rates(const Table& t, const Analysis& a, size_t most) {
  bool timed = false;
  for (const Row& r : a.rows) timed = timed || r.best_per_second.upper > 0;
  std::vector<std::string> heads = {"test",     "seen in", "least", "median", "largest", "best configuration",
                                    "its rate", "95 %"};
  if (std::abs(a.options.level - 0.95) > 1e-9) heads.back() = fmt::format("{:g} %", 100 * a.options.level);
  if (timed) heads.insert(heads.end(), {"per second", heads[7]});
  Columns c(heads);
  for (const Row& r : a.rows) {
    if (r.weak == 0) continue;
    std::vector<std::string> cells = {
        where(t, r.device, r.test),
        fmt::format("{}/{}", r.seen_in, r.configurations),
        rate_text(r.least),
        rate_text(r.median),
        rate_text(r.largest),
        t.configurations[r.best],
        rate_text(static_cast<double>(r.best_weak) / std::max(1.0, static_cast<double>(r.best_instances))),
        interval(r.best_rate)};
    if (timed) {
      const Cell& best = t.at(r.device, r.test, r.best);
      cells.push_back(best.seconds > 0 ? fmt::format("{:.3g}", best.per_second()) : "-");
      cells.push_back(best.seconds > 0 ? interval(r.best_per_second) : "-");
    }
    c.row(std::move(cells));
  }
  return c.empty() ? "" : "\nRates of weak outcomes per instance, over configurations\n" + c.text(most);
}

std::string reproducibility(const Table& t, const Analysis& a, size_t most) {
  const std::string r = fmt::format("{:g} %", 100 * a.options.reproducibility);
  Columns c({"test", "weak at its best", "seen again with", "needed for " + r, "ran", "redundant, all", "below " + r});
  for (const Row& x : a.rows) {
    if (x.weak == 0) continue;
    c.row({where(t, x.device, x.test), count_text(static_cast<double>(x.best_weak)),
           x.reproducibility > 0.99999 ? "> 99.999 %" : fmt::format("{:.5g} %", 100 * x.reproducibility),
           count_text(x.needed), count_text(static_cast<double>(x.best_instances)), count_text(x.redundant),
           fmt::format("{}/{}", x.unsure, x.seen_in)});
  }
  if (c.empty()) return "";
  return "\nReproducibility: iterations until an outcome shows again\n" + c.text(most) +
         fmt::format(
             "  redundant: {} of {} iterations ({}); expected to be missed in a repetition: {} of {} sightings\n",
             count_text(a.redundant), count_text(a.instances_of_seen), percent(a.redundant, a.instances_of_seen),
             a.missed < 0.005 ? "none" : fmt::format("{:.2f}", a.missed), a.sightings);
}

std::string absence(const Table& t, const Analysis& a, size_t most) {
  Columns c({"test", "ran", "rate below", "all at once", "rule asks for", "rule"});
  for (const Row& r : a.rows)
    if (r.weak == 0 && r.instances > 0)
      c.row({where(t, r.device, r.test), count_text(static_cast<double>(r.instances)), fmt::format("{:.2g}", r.bound),
             fmt::format("{:.2g}", r.bound_of_all), r.absence > 0 ? count_text(r.absence) : "-",
             r.absence <= 0 ? "seen nowhere"
             : r.absent     ? "met"
                            : "NOT MET"});
  if (c.empty()) return "";
  return fmt::format(
             "\nNever seen: upper bounds of the rate at {:g} %, one test and all together; the rule asks for as many "
             "iterations as gave {:g} %\n"
             "reproducibility where the test, or else a mutant of it, was seen\n",
             100 * a.options.level, 100 * a.options.reproducibility) +
         c.text(most);
}

std::string stationarity(const Table& t, const Analysis& a, size_t most) {
  if (a.steady.empty())
    return "\nStationarity: no series is long enough (first 20 % and last 10 %, 8 values each; run with --series, or "
           "more round groups)\n";
  std::vector<const Steady*> sorted;
  for (const Steady& s : a.steady) sorted.push_back(&s);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Steady* x, const Steady* y) { return x->adjusted < y->adjusted; });
  Columns c({"test", "configuration", "series", "first", "last", "D", "p", "adjusted", "var/mean", ""});
  for (const Steady* s : sorted)
    c.row({where(t, s->device, s->test), t.configurations[s->configuration], s->series,
           fmt::format("{}", s->test_of.first), fmt::format("{}", s->test_of.last),
           fmt::format("{:.3f}", s->test_of.ks.statistic), fmt::format("{:.2g}", s->test_of.ks.p_value),
           fmt::format("{:.2g}", s->adjusted), fmt::format("{:.3g}", s->dispersion),
           s->rejected ? "not stationary" : ""});
  return fmt::format(
             "\nStationarity: Kolmogorov-Smirnov, first 20 % against last 10 %; {} of {} rejected at a false discovery "
             "rate of {:g} %\n",
             a.unsteady_cells, a.steady.size(), 100 * a.options.false_discovery) +
         c.text(most);
}

std::string portable(const Table& t, const Analysis& a) {
  if (a.portable.empty()) return "";
  Columns c({"one configuration for", "MFS", "MLFS", "MLFS-F", "of", "MLFS-F chooses"});
  for (const PortableRow& r : a.portable) {
    const auto weak = [&](size_t m) { return fmt::format("{}", r.by_metric[m].weak); };
    std::vector<uint32_t> chosen = r.by_metric[2].configuration;
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    std::string names;
    for (size_t i = 0; i < chosen.size() && i < 6; ++i)
      names += (names.empty() ? "" : ", ") + t.configurations[chosen[i]];
    if (chosen.size() > 6) names += fmt::format(", ... ({})", chosen.size());
    const char* what = r.domain == stats::Domain::global   ? "all tests and devices"
                       : r.domain == stats::Domain::device ? "each device"
                       : r.domain == stats::Domain::test   ? "each test"
                                                           : "each test on each device";
    c.row({what, weak(0), weak(1), weak(2), fmt::format("{}", r.by_metric[0].possible), names});
  }
  return "\nPortable parameters: combinations of test and device that still show the weak outcome\n" + c.text(0) +
         (a.portable_note.empty() ? "" : "  " + a.portable_note + "\n");
}

std::string correlation(const Table& t, const Analysis& a, size_t most) {
  if (a.correlation.empty()) return "";
  std::string out =
      "\nHow far tests go together: R\u00B2 of their rates over configurations; tuning the first says most about the "
      "rest\n";
  for (const Correlation& c : a.correlation) {
    std::string order;
    const auto sums = stats::priority_sums(c.r2);
    for (size_t i = 0; i < c.priority.size() && (most == 0 || i < most); ++i) {
      const size_t at = static_cast<size_t>(std::find(c.tests.begin(), c.tests.end(), c.priority[i]) - c.tests.begin());
      order += fmt::format("{}{} ({:.2f})", i == 0 ? "" : ", ", t.tests[c.priority[i]].name, sums[at]);
    }
    if (most != 0 && c.priority.size() > most) order += ", ...";
    out += fmt::format("  {}: {}; least R\u00B2 of two {:.2f}\n", t.devices[c.device], order, c.least_r2);
  }
  if (!a.priority.empty()) {
    out += "  all devices:";
    for (size_t i = 0; i < a.priority.size(); ++i) out += (i == 0 ? " " : ", ") + t.tests[a.priority[i]].name;
    out += "\n";
  }
  return out;
}

std::string mutants(const Table& t, const Analysis& a) {
  if (a.kills.empty()) return "";
  const bool timed = t.seconds() > 0;
  std::vector<std::string> heads = {"mutants", "killed", "of", "score"};
  if (timed) heads.push_back("weak/s, mean");
  Columns c(heads);
  const auto row = [&](const Kill& k, const std::string& name) {
    std::vector<std::string> cells = {name, fmt::format("{}", k.killed), fmt::format("{}", k.mutants),
                                      percent(k.killed, k.mutants)};
    if (timed) cells.push_back(fmt::format("{:.6g}", k.rate));
    c.row(std::move(cells));
  };
  for (const Kill& k : a.kills) row(k, k.mutator.empty() ? "all" : k.mutator);
  if (a.kills_by_device.size() > 1)
    for (const Kill& k : a.kills_by_device) row(k, "on " + k.mutator);
  std::string out = "\nMutants: killed when their weak outcome was seen under some configuration\n" + c.text(0);
  if (!a.kills_by_configuration.empty()) {
    std::vector<std::string> under = {"killed under"};
    for (const auto& [configuration, kills] : a.kills_by_configuration)
      under.push_back(t.configurations[configuration]);
    Columns by(under);
    for (size_t k = 0; k < a.kills.size(); ++k) {
      std::vector<std::string> cells = {a.kills[k].mutator.empty() ? "all" : a.kills[k].mutator};
      for (const auto& [configuration, kills] : a.kills_by_configuration)
        cells.push_back(fmt::format("{}/{}", kills[k].killed, kills[k].mutants));
      by.row(std::move(cells));
    }
    out += "\n" + by.text(0);
  }
  if (!a.budgets.empty()) {
    Columns b({"seconds a test", "reproducible", "of", "share"});
    for (const BudgetRow& r : a.budgets)
      b.row({fmt::format("{:g}", r.seconds), fmt::format("{}", r.reproducible), fmt::format("{}", r.of),
             percent(r.reproducible, r.of)});
    out += fmt::format("\nOne configuration for each test, on all devices, at {:g} % reproducibility\n",
                       100 * a.options.budget_reproducibility) +
           b.text(0);
  }
  return out;
}

std::string peeking(const Table& t, const Peeking& p) {
  if (p.samples == 0) return "";
  Columns c({"device", "tests", "published rule", "corrected rule", "lost: none", "published", "corrected", "of"});
  for (const PeekRow& r : p.rows)
    c.row({t.devices[r.device], fmt::format("{}", r.tests), fmt::format("{:.2f}x", r.speed_up_wald),
           fmt::format("{:.2f}x", r.speed_up_expected), fmt::format("{}", r.lost_none), fmt::format("{}", r.lost_wald),
           fmt::format("{}", r.lost_expected), fmt::format("{}", r.runs)});
  return fmt::format(
             "\nPeeking, simulated at the measured rates with {} samples a configuration: speed-up over full runs, and "
             "searches that end below 90 %\n"
             "of the best configuration\n",
             count_text(static_cast<double>(p.samples))) +
         c.text(0);
}

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }
Json of(const stats::Interval& i) { return Json::array({number(i.lower), number(i.upper)}); }

}  // namespace

const char* name(Part p) {
  constexpr const char* k_names[k_parts] = {"overview", "rates",       "reproducibility", "absence", "stationarity",
                                            "portable", "correlation", "mutants",         "peeking"};
  return k_names[static_cast<size_t>(p)];
}

std::string rate_text(double rate) {
  return rate == 0 ? "0" : rate >= 0.01 ? fmt::format("{:.2f} %", 100 * rate) : fmt::format("{:.2e}", rate);
}

std::string count_text(double n) {
  if (!std::isfinite(n)) return "never";
  if (n < 1e6) return fmt::format("{:.0f}", n);
  const int e = static_cast<int>(std::floor(std::log10(n) + 1e-12));
  return fmt::format("{:.3g}e{}", n / std::pow(10, e), e);
}

std::string to_text(const Table& t, const Analysis& a, const Peeking& p, const std::vector<Part>& parts, size_t most) {
  std::string out;
  for (uint32_t k = 0; k < k_parts; ++k) {
    const Part part = static_cast<Part>(k);
    if (!parts.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) continue;
    if (t.sightings && part != Part::overview && part != Part::mutants) continue;
    switch (part) {
      case Part::overview:
        out += overview(t, a);
        break;
      case Part::rates:
        out += rates(t, a, most);
        break;
      case Part::reproducibility:
        out += reproducibility(t, a, most);
        break;
      case Part::absence:
        out += absence(t, a, most);
        break;
      case Part::stationarity:
        out += stationarity(t, a, most == 0 ? 0 : 12);
        break;  // least p first
      case Part::portable:
        out += portable(t, a);
        break;
      case Part::correlation:
        out += correlation(t, a, most == 0 ? 0 : 12);
        break;
      case Part::mutants:
        out += mutants(t, a);
        break;
      case Part::peeking:
        out += peeking(t, p);
        break;
    }
  }
  if (!out.empty() && out.front() == '\n') out.erase(0, 1);
  return out;
}

std::string to_json(const Table& t, const Analysis& a, const Peeking& p) {
  Json rows = Json::array();
  for (const Row& r : a.rows) {
    Json j = {{"test", t.tests[r.test].name},
              {"device", t.devices[r.device]},
              {"configurations", r.configurations},
              {"seen_in", r.seen_in},
              {"weak", r.weak},
              {"instances", r.instances},
              {"seconds", r.seconds},
              {"corrupt", r.corrupt}};
    if (!t.tests[r.test].mutator.empty()) j["mutator"] = t.tests[r.test].mutator;
    if (!t.tests[r.test].verdict.empty()) j["model"] = t.tests[r.test].verdict;
    if (!t.sightings) {
      j["rate"] = {{"least", r.least}, {"median", r.median}, {"largest", r.largest}};
      j["best"] = {{"configuration", t.configurations[r.best]},
                   {"weak", r.best_weak},
                   {"instances", r.best_instances},
                   {"rate", of(r.best_rate)},
                   {"per_second", r.best_per_second.upper > 0 ? of(r.best_per_second) : Json(nullptr)},
                   {"dispersion", r.dispersion},
                   {"reproducibility", r.reproducibility},
                   {"needed", number(r.needed)}};
      j["redundant"] = r.redundant;
      j["missed"] = r.missed;
      j["unsure"] = r.unsure;
      if (r.weak == 0)
        j["never"] = {{"bound", r.bound},
                      {"bound_of_all", r.bound_of_all},
                      {"rule_asks_for", r.absence > 0 ? number(r.absence) : Json(nullptr)},
                      {"rule_met", r.absent}};
    }
    rows.push_back(std::move(j));
  }
  Json steady = Json::array();
  for (const Steady& s : a.steady)
    steady.push_back({{"test", t.tests[s.test].name},
                      {"device", t.devices[s.device]},
                      {"configuration", t.configurations[s.configuration]},
                      {"series", s.series},
                      {"first", s.test_of.first},
                      {"last", s.test_of.last},
                      {"statistic", s.test_of.ks.statistic},
                      {"p", s.test_of.ks.p_value},
                      {"adjusted", s.adjusted},
                      {"dispersion", s.dispersion},
                      {"stationary", !s.rejected}});
  Json portable = Json::array();
  for (const PortableRow& r : a.portable)
    for (const auto metric : {stats::Metric::mfs, stats::Metric::mlfs, stats::Metric::mlfs_f}) {
      const stats::Portable& x = r.by_metric[static_cast<size_t>(metric)];
      Json chosen = Json::array();
      std::vector<uint32_t> unique = x.configuration;
      std::sort(unique.begin(), unique.end());
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      for (uint32_t c : unique) chosen.push_back(t.configurations[c]);
      portable.push_back({{"domain", stats::name(r.domain)},
                          {"metric", stats::name(metric)},
                          {"weak", x.weak},
                          {"possible", x.possible},
                          {"configurations", chosen}});
    }
  Json correlation = Json::array();
  for (const Correlation& c : a.correlation) {
    Json names = Json::array(), order = Json::array();
    for (uint32_t k : c.tests) names.push_back(t.tests[k].name);
    for (uint32_t k : c.priority) order.push_back(t.tests[k].name);
    correlation.push_back({{"device", t.devices[c.device]},
                           {"tests", names},
                           {"r2", c.r2},
                           {"priority", order},
                           {"least_r2", c.least_r2}});
  }
  Json priority = Json::array();
  for (uint32_t k : a.priority) priority.push_back(t.tests[k].name);
  Json kills = Json::array();
  const auto kill = [&](const Kill& k, const char* by) {
    kills.push_back({{by, k.mutator.empty() ? "all" : k.mutator},
                     {"killed", k.killed},
                     {"mutants", k.mutants},
                     {"weak_per_second", k.rate}});
  };
  for (const Kill& k : a.kills) kill(k, "mutator");
  for (const Kill& k : a.kills_by_device) kill(k, "device");
  Json by_configuration = Json::array();
  for (const auto& [configuration, under] : a.kills_by_configuration)
    for (const Kill& k : under)
      by_configuration.push_back({{"configuration", t.configurations[configuration]},
                                  {"mutator", k.mutator.empty() ? "all" : k.mutator},
                                  {"killed", k.killed},
                                  {"mutants", k.mutants},
                                  {"weak_per_second", k.rate}});
  Json budgets = Json::array();
  for (const BudgetRow& b : a.budgets)
    budgets.push_back({{"seconds", b.seconds}, {"reproducible", b.reproducible}, {"of", b.of}});
  Json peeks = Json::array();
  for (const PeekRow& r : p.rows)
    peeks.push_back({{"device", t.devices[r.device]},
                     {"tests", r.tests},
                     {"speed_up_published", r.speed_up_wald},
                     {"speed_up_corrected", r.speed_up_expected},
                     {"lost_without", r.lost_none},
                     {"lost_published", r.lost_wald},
                     {"lost_corrected", r.lost_expected},
                     {"runs", r.runs}});
  const Json out = {{"schema", "fencepost.stats/1"},
                    {"set", t.name},
                    {"format", t.format},
                    {"devices", t.devices.size()},
                    {"tests", t.tests.size()},
                    {"configurations", t.configurations.size()},
                    {"results", t.measured()},
                    {"instances", t.instances()},
                    {"weak", t.weak()},
                    {"seconds", t.seconds()},
                    {"level", a.options.level},
                    {"reproducibility", a.options.reproducibility},
                    {"redundant", a.redundant},
                    {"missed", a.missed},
                    {"sightings", a.sightings},
                    {"rows", rows},
                    {"stationarity", steady},
                    {"portable", portable},
                    {"correlation", correlation},
                    {"priority", priority},
                    {"kills", kills},
                    {"kills_by_configuration", by_configuration},
                    {"budgets", budgets},
                    {"budget_reproducibility", a.options.budget_reproducibility},
                    {"peeking", peeks},
                    {"remarks", t.remarks}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Table& t, const Analysis& a) {
  std::string out;
  for (uint32_t d = 0; d < t.devices.size(); ++d)
    for (uint32_t k = 0; k < t.tests.size(); ++k)
      for (uint32_t c = 0; c < t.configurations.size(); ++c) {
        const Cell& cell = t.at(d, k, c);
        if (!cell.measured) continue;
        if (t.sightings) {
          out += fmt::format("{},{},{},{},{},,,,,,,,,,,{}\n", csv_field(t.name), csv_field(t.devices[d]),
                             csv_field(t.tests[k].name), csv_field(t.configurations[c]), cell.weak, t.tests[k].mutator);
          continue;
        }
        double dispersion = 1;
        for (const Row& r : a.rows)
          if (r.device == d && r.test == k && r.best == c) dispersion = r.dispersion;
        const auto i = stats::wilson_dispersed(cell.weak, cell.instances, dispersion, a.options.level);
        out += fmt::format(
            "{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.6g},{},{:.6g},{:.4g},{}\n", csv_field(t.name),
            csv_field(t.devices[d]), csv_field(t.tests[k].name), csv_field(t.configurations[c]), cell.weak,
            cell.instances, cell.seconds, cell.rate(), i.lower, i.upper,
            cell.seconds > 0 ? fmt::format("{:.6g}", cell.per_second()) : "",
            stats::reproducibility(cell.weak, cell.instances),
            cell.weak > 0 ? fmt::format("{:.6g}", stats::iterations_needed(cell.rate(), a.options.reproducibility))
                          : "",
            cell.weak > 0 ? stats::redundant_iterations(cell.weak, cell.instances, a.options.reproducibility) : 0.0,
            dispersion, t.tests[k].mutator);
      }
  return out;
}

}  // namespace fencepost::analysis
