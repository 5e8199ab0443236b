#include "judge/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "base/csv.h"
#include "base/markdown.h"
#include "stats/reproduce.h"

namespace fencepost::judge {
namespace {

struct MutantName {
  std::string test, mutator;
};
// "MP@01--weaken-sw-3" -> "MP@01", "weaken-sw".
std::optional<MutantName> mutant_name(const std::string& title) {
  const size_t at = title.rfind("--"), dash = title.rfind('-');
  if (at == std::string::npos || at == 0 || dash < at + 3 || dash + 1 == title.size()) return std::nullopt;
  if (title.find_first_not_of("0123456789", dash + 1) != std::string::npos) return std::nullopt;
  return MutantName{title.substr(0, at), title.substr(at + 2, dash - at - 2)};
}

std::string count(uint64_t n) {
  return n < 1'000'000 ? fmt::format("{}", n) : fmt::format("{:.3g}", static_cast<double>(n));
}

std::string confidence_text(const ConformanceRow& r) {
  if (r.mutants.killed == 0) return "-";
  return r.confidence >= 0.99999 ? "> 99.999 %" : fmt::format("{:.4g} %", 100 * r.confidence);
}

void add(Mutants& m, const Judgement& j) {
  if (j.condition != Allowed::yes) return;
  ++m.allowed;
  m.ran += j.seen.instances > 0;
  m.killed += j.positive > 0;
}

}  // namespace

const char* name(Conforms c) {
  switch (c) {
    case Conforms::failed:
      return "failed";
    case Conforms::open:
      return "open";
    case Conforms::silent:
      return "silent";
    case Conforms::passed:
      return "passed";
  }
  return "";
}

Conformance conformance(const Judged& judged) {
  using Where = std::tuple<std::string, std::string, std::string>;  // test, device, configuration
  std::map<Where, std::vector<const Judgement*>> mutants;
  Conformance out;
  std::map<std::pair<std::string, std::string>, Campaign> campaigns;
  for (const Judgement& j : judged.list) {
    Campaign& c = campaigns[{j.seen.device, j.seen.configuration}];
    c.device = j.seen.device;
    c.configuration = j.seen.configuration;
    c.model = j.model;
    c.seconds += j.seen.seconds;
    const auto m = mutant_name(j.seen.test.title);
    if (!m) continue;
    mutants[{m->test, j.seen.device, j.seen.configuration}].push_back(&j);
    add(c.by_mutator[m->mutator], j);
    add(c.all, j);
  }
  for (const Judgement& j : judged.list) {
    const std::string& title = j.seen.test.title;
    if (mutant_name(title) || title.find('~') != std::string::npos || j.condition == Allowed::yes) continue;
    ConformanceRow r;
    r.test = title;
    r.device = j.seen.device;
    r.configuration = j.seen.configuration;
    r.model = j.model;
    r.what_ran = j.seen.what_ran;
    r.instances = j.seen.instances;
    r.seen = j.positive;
    r.bound = r.instances > 0 && r.seen == 0 ? stats::zero_event_bound(r.instances) : j.positive_rate.upper;
    double rarest = 2;
    if (const auto it = mutants.find({r.test, r.device, r.configuration}); it != mutants.end())
      for (const Judgement* m : it->second) {
        add(r.mutants, *m);
        if (m->condition == Allowed::yes && m->positive > 0)
          rarest = std::min(rarest, static_cast<double>(m->positive) / static_cast<double>(m->seen.instances));
      }
    if (rarest <= 1) r.confidence = stats::reproducibility(rarest * static_cast<double>(r.instances));
    const bool settled =
        j.standing == Standing::consistent && j.condition == Allowed::no && r.instances > 0 && j.flags.empty();
    r.verdict = j.standing == Standing::violated ? Conforms::failed
                : !settled || r.seen > 0         ? Conforms::open
                : r.mutants.killed == 0          ? Conforms::silent
                                                 : Conforms::passed;
    r.reason = j.flags.empty() || r.verdict == Conforms::failed
                   ? j.reason
                   : fmt::format("the test has {} under {}, which then promises nothing", j.flags.front(), r.model);
    Campaign& c = campaigns[{r.device, r.configuration}];
    ++(r.verdict == Conforms::passed   ? c.passed
       : r.verdict == Conforms::silent ? c.silent
       : r.verdict == Conforms::failed ? c.failed
                                       : c.open);
    out.rows.push_back(std::move(r));
  }
  for (auto& [key, c] : campaigns) out.campaigns.push_back(std::move(c));
  out.owed = judged.owed;
  return out;
}

int Conformance::exit_code() const {
  int code = owed.empty() ? 0 : 3;
  for (const ConformanceRow& r : rows) {
    if (r.verdict == Conforms::failed) return 1;
    if (r.verdict == Conforms::open) code = 3;
  }
  return code;
}

std::string to_text(const Conformance& c) {
  std::string out;
  for (const Campaign& k : c.campaigns) {
    out += fmt::format(
        "{}, configuration {}, model {}: {} test{}: {} passed, {} failed, {} silent (no mutant was seen), {} open\n",
        k.device, k.configuration, k.model, k.passed + k.failed + k.silent + k.open,
        k.passed + k.failed + k.silent + k.open == 1 ? "" : "s", k.passed, k.failed, k.silent, k.open);
    if (k.all.allowed == 0) continue;
    out += fmt::format("  mutants that the model allows: {} of {} seen\n", k.all.killed, k.all.allowed);
    for (const auto& [mutator, m] : k.by_mutator)
      if (m.allowed > 0) out += fmt::format("    {:<16} {:>5} of {:>5}\n", mutator, m.killed, m.allowed);
  }
  for (const ConformanceRow& r : c.rows) {
    out += fmt::format("{:<7} {} on {}, {}: ", name(r.verdict), r.test, r.device, r.configuration);
    if (r.verdict == Conforms::failed || r.verdict == Conforms::open)
      out += r.reason + "\n";
    else
      out += fmt::format("never in {} instances, rate below {:.2g}; {} of {} mutants seen, confidence {}\n",
                         count(r.instances), r.bound, r.mutants.killed, r.mutants.allowed, confidence_text(r));
  }
  if (!c.owed.empty()) out += sentence(c.owed) + "\n";
  return out;
}

std::string to_markdown(const Conformance& c) {
  std::string out =
      "| device | configuration | tests | passed | failed | silent | open | mutants seen | of "
      "|\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const Campaign& k : c.campaigns)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(k.device),
                       markdown_text(k.configuration), k.passed + k.failed + k.silent + k.open, k.passed, k.failed,
                       k.silent, k.open, k.all.killed, k.all.allowed);
  std::map<std::string, std::vector<std::string>> cells;
  for (const Campaign& k : c.campaigns)
    for (const auto& [mutator, m] : k.by_mutator)
      if (m.allowed > 0) cells[mutator];
  out += "\n| mutator |";
  for (const Campaign& k : c.campaigns) out += fmt::format(" {} |", markdown_text(k.configuration));
  out += "\n|---|";
  for (size_t i = 0; i < c.campaigns.size(); ++i) out += "---:|";
  for (const auto& [mutator, unused] : cells) {
    out += fmt::format("\n| `{}` |", markdown_text(mutator));
    for (const Campaign& k : c.campaigns) {
      const auto it = k.by_mutator.find(mutator);
      out += it == k.by_mutator.end() ? " |" : fmt::format(" {} of {} |", it->second.killed, it->second.allowed);
    }
  }
  out +=
      "\n\n| test | configuration | verdict | instances | rate below | mutants seen | confidence | what ran "
      "|\n|---|---|---|---:|---:|---:|---:|---|\n";
  for (const ConformanceRow& r : c.rows)
    out += fmt::format("| `{}` | {} | {} | {} | {:.2g} | {} of {} | {} | {} |\n", markdown_text(r.test),
                       markdown_text(r.configuration), name(r.verdict), count(r.instances), r.bound, r.mutants.killed,
                       r.mutants.allowed, confidence_text(r), r.what_ran);
  if (!c.owed.empty()) out += "\n" + markdown_text(sentence(c.owed)) + "\n";
  return out;
}

std::string to_csv(const Conformance& c) {
  std::string out = csv_line({"test", "device", "configuration", "model", "verdict", "instances", "seen", "bound",
                              "mutants_allowed", "mutants_ran", "mutants_seen", "confidence", "what_ran", "reason"});
  for (const ConformanceRow& r : c.rows)
    out += csv_line({r.test, r.device, r.configuration, r.model, name(r.verdict), std::to_string(r.instances),
                     std::to_string(r.seen), fmt::format("{:.6g}", r.bound), std::to_string(r.mutants.allowed),
                     std::to_string(r.mutants.ran), std::to_string(r.mutants.killed),
                     fmt::format("{:.6g}", r.confidence), r.what_ran, r.reason});
  return out;
}

std::string to_json(const Conformance& c) {
  using Json = nlohmann::ordered_json;
  const auto of = [](const Mutants& m) { return Json{{"allowed", m.allowed}, {"ran", m.ran}, {"seen", m.killed}}; };
  Json campaigns = Json::array(), rows = Json::array();
  for (const Campaign& k : c.campaigns) {
    Json by = Json::object();
    for (const auto& [mutator, m] : k.by_mutator) by[mutator] = of(m);
    campaigns.push_back({{"device", k.device},
                         {"configuration", k.configuration},
                         {"model", k.model},
                         {"passed", k.passed},
                         {"failed", k.failed},
                         {"silent", k.silent},
                         {"open", k.open},
                         {"mutants", of(k.all)},
                         {"by_mutator", by},
                         {"seconds", k.seconds}});
  }
  for (const ConformanceRow& r : c.rows)
    rows.push_back({{"test", r.test},
                    {"device", r.device},
                    {"configuration", r.configuration},
                    {"model", r.model},
                    {"verdict", name(r.verdict)},
                    {"reason", r.reason},
                    {"what_ran", r.what_ran},
                    {"instances", r.instances},
                    {"seen", r.seen},
                    {"bound", r.bound},
                    {"mutants", of(r.mutants)},
                    {"confidence", r.confidence}});
  const Json out = {
      {"schema", "fencepost.conformance/1"}, {"finished", c.owed.empty()}, {"campaigns", campaigns}, {"tests", rows}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::judge
