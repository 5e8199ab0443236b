// Tables of kept runs as text, CSV, Markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fairness/kept.h"

namespace fencepost::fairness {
namespace {

using Json = nlohmann::ordered_json;

// A field that a spreadsheet cannot take for two.
std::string field(const std::string& s) {
  if (s.find_first_of(",\"\n\r") == std::string::npos) return s;
  std::string out = "\"";
  for (const char c : s) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string of(uint64_t some, uint64_t all) { return fmt::format("{} of {}", some, all); }

std::string limits(const Column& c) {
  return c.least_limit == c.largest_limit ? fmt::format("{:g} s", c.least_limit)
                                          : fmt::format("{:g} to {:g} s", c.least_limit, c.largest_limit);
}

std::string remarks(const Kept& kept) {
  return kept.dropped == 0 ? ""
                           : fmt::format(
                                 "{} runs count for nothing: the assembler had left an access of their program "
                                 "out\n",
                                 kept.dropped);
}

std::string text_of(const Json& j) { return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json column_json(const Column& c) {
  return {{"device", c.device},
          {"driver", c.driver},
          {"variant", c.variant},
          {"mapping", c.mapping},
          {"least_watchdog_s", c.least_limit},
          {"largest_watchdog_s", c.largest_limit}};
}

std::string named(const std::vector<uint32_t>& which, const Kept& kept) {
  std::string out;
  for (const uint32_t t : which) out += (out.empty() ? "" : ";") + kept.tests[t].name;
  return out;
}

}  // namespace

std::string to_text(const Kept& kept, const Survey& s) {
  std::vector<std::vector<std::string>> rows = {{"variant", "mapping", "tests", "never", "sometimes", "always", "hung",
                                                 "weak starved", "strong starved", "runs", "device s", "watchdog"}};
  for (const ColumnRow& r : s.rows) {
    const Column& c = kept.columns[r.column];
    rows.push_back({c.variant, c.mapping, fmt::format("{}", r.tests), fmt::format("{}", r.never),
                    fmt::format("{}", r.sometimes), fmt::format("{}", r.always), fmt::format("{}", r.hung),
                    of(r.weak_starved, r.weak), of(r.strong_starved, r.strong), fmt::format("{}", r.runs),
                    fmt::format("{:.2f}", r.seconds), limits(c)});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& r : rows)
    for (size_t k = 0; k < r.size(); ++k) widths[k] = std::max(widths[k], r[k].size());
  const auto line = [&](const std::vector<std::string>& r) {
    std::string out;
    for (size_t k = 0; k < r.size(); ++k)
      out += k < 2 ? fmt::format("{:<{}}  ", r[k], widths[k]) : fmt::format("{:>{}}  ", r[k], widths[k]);
    while (out.back() == ' ') out.pop_back();
    return out + "\n";
  };
  std::string out;
  for (size_t k = 0; k < s.rows.size(); ++k) {
    const Column& c = kept.columns[k];
    if (k == 0 || kept.columns[k - 1].device != c.device)
      out += fmt::format("{}{}{}\n{}", out.empty() ? "" : "\n", c.device,
                         c.driver.empty() ? "" : fmt::format(" (driver {})", c.driver), line(rows[0]));
    out += line(rows[k + 1]);
  }
  return out + fmt::format("\n{} tests, {} runs\n", kept.tests.size(), kept.runs) + remarks(kept);
}

std::string to_csv(const Kept& kept, const Survey& s) {
  std::string out =
      "test,class,device,variant,mapping,runs,starved,hung,frequency,waiting,unstarted,instances,starved_instances,"
      "seconds\n";
  for (const Cell& c : kept.cells) {
    const Column& k = kept.columns[c.column];
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f}\n", field(kept.tests[c.test].name),
                       s.weak[c.test] ? "weak" : "strong", field(k.device), field(k.variant), field(k.mapping),
                       c.runs.total, c.runs.starved, c.runs.hung, name(frequency(c.runs)),
                       field(trial::threads_text(c.waiting)), field(trial::threads_text(c.unstarted)), c.instances,
                       c.starved_instances, c.seconds);
  }
  return out;
}

std::string to_json(const Kept& kept, const Survey& s) {
  Json columns = Json::array(), cells = Json::array();
  for (const ColumnRow& r : s.rows) {
    Json j = column_json(kept.columns[r.column]);
    j.update(Json{{"tests", r.tests},
                  {"never", r.never},
                  {"sometimes", r.sometimes},
                  {"always", r.always},
                  {"hung", r.hung},
                  {"weak", r.weak},
                  {"weak_starved", r.weak_starved},
                  {"strong", r.strong},
                  {"strong_starved", r.strong_starved},
                  {"runs", r.runs},
                  {"seconds", r.seconds}});
    columns.push_back(std::move(j));
  }
  for (const Cell& c : kept.cells)
    cells.push_back({{"test", kept.tests[c.test].name},
                     {"class", s.weak[c.test] ? "weak" : "strong"},
                     {"column", c.column},
                     {"runs", c.runs.total},
                     {"starved", c.runs.starved},
                     {"hung", c.runs.hung},
                     {"frequency", name(frequency(c.runs))},
                     {"waiting", trial::threads_text(c.waiting)},
                     {"unstarted", trial::threads_text(c.unstarted)}});
  return text_of({{"schema", "fencepost.progress.stats/1"},
                  {"tests", kept.tests.size()},
                  {"runs", kept.runs},
                  {"dropped", kept.dropped},
                  {"columns", columns},
                  {"cells", cells}});
}

// ---- judge --------------------------------------------------------------------------------------------------

std::string judged_text(const Kept& kept, const Survey& s) {
  std::string out;
  for (const Group& g : s.groups)
    out += fmt::format("{}{}, {}\n\n{}\n{} weak and {} strong tests\n", out.empty() ? "" : "\n", g.device, g.variant,
                       to_text(g.summary, kept.tests), g.summary.weak_tests, g.summary.strong_tests);
  return out + remarks(kept);
}

std::string judged_csv(const Kept& kept, const Survey& s) {
  std::string out =
      "device,variant,model,conformance,violated,maybe_weak_memory,strong_conformance,strong_starved,violated_by\n";
  for (const Group& g : s.groups)
    for (const ModelRow& m : g.summary.models)
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", field(g.device), field(g.variant), field(m.model),
                         m.conformance, m.violated.size(), m.explained.size(), m.strong_conformance, m.strong.size(),
                         field(named(m.violated, kept)));
  return out;
}

std::string judged_markdown(const Kept& kept, const Survey& s) {
  std::string out =
      "| device | variant | model | weak violated | maybe weak memory | strong starved |\n"
      "| --- | --- | --- | ---: | ---: | ---: |\n";
  for (const Group& g : s.groups)
    for (const ModelRow& m : g.summary.models)
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", g.device, g.variant, m.model,
                         of(m.violated.size(), m.conformance), m.explained.size(),
                         of(m.strong.size(), m.strong_conformance));
  out +=
      "\n| device | variant | mapping | tests | never starve | sometimes | always | hung | weak that starve | strong "
      "that starve |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ColumnRow& r : s.rows) {
    const Column& c = kept.columns[r.column];
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", c.device, c.variant, c.mapping, r.tests,
                    r.never, r.sometimes, r.always, r.hung, of(r.weak_starved, r.weak), of(r.strong_starved, r.strong));
  }
  const std::string more = remarks(kept);
  return out + (more.empty() ? "" : "\n" + more);
}

std::string judged_json(const Kept& kept, const Survey& s) {
  Json groups = Json::array();
  for (const Group& g : s.groups)
    groups.push_back(
        {{"device", g.device}, {"variant", g.variant}, {"summary", Json::parse(to_json(g.summary, kept.tests))}});
  return text_of({{"schema", "fencepost.progress.judge/1"},
                  {"tests", kept.tests.size()},
                  {"runs", kept.runs},
                  {"dropped", kept.dropped},
                  {"groups", groups}});
}

}  // namespace fencepost::fairness
