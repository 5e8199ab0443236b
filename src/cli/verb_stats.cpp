// stats: from stores and result sets to what they are worth.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/portable_plan.h"
#include "analysis/read.h"
#include "analysis/tell.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress_stores.h"
#include "cli/tables_of.h"
#include "cli/verbs.h"
#include "store/store.h"

namespace fencepost::cli {
namespace {

constexpr uint32_t k_peeks = 10, k_repeats = 32;

Expected<std::vector<analysis::Part>> parts_of(const std::vector<std::string>& names) {
  std::vector<analysis::Part> out;
  std::vector<std::string> known;
  for (uint32_t k = 0; k < analysis::k_parts; ++k) known.push_back(analysis::name(static_cast<analysis::Part>(k)));
  for (const std::string& n : names) {
    const auto it = std::find(known.begin(), known.end(), n);
    if (it == known.end()) {
      const std::string near = nearest(n, known);
      return error_at({}, fmt::format("'{}' is not a part of the statistics", n),
                      near.empty() ? fmt::format("the parts are {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean '{}'?", near));
    }
    out.push_back(static_cast<analysis::Part>(it - known.begin()));
  }
  return out;
}

// A name that no test, device or configuration has is a mistake; of several sets, one that has it is enough.
Expected<void> check_names(const std::vector<std::string>& wanted, const std::vector<std::string>& known,
                           const char* what) {
  for (const std::string& w : wanted) {
    if (std::find(known.begin(), known.end(), w) != known.end()) continue;
    const std::string near = nearest(w, known);
    return error_at({}, fmt::format("no result is of {} '{}'", what, w),
                    near.empty() ? fmt::format("'fencepost stats --parts rates --all' lists what there is")
                                 : fmt::format("did you mean '{}'?", near));
  }
  return {};
}

}  // namespace

Expected<std::vector<analysis::Table>> tables_of(const CommandLine& line) {
  const Settings& s = line.settings;
  store::Filter filter;
  filter.campaign = s.campaign;
  std::vector<analysis::Table> tables;
  std::vector<std::string> tests, devices, configurations;
  for (const std::string& path : line.operands) {
    auto t = analysis::read(path, filter);
    if (!t) return std::unexpected(t.error());
    if (t->measured() == 0)
      return error_at(
          {}, fmt::format("{} has no results{}", path, s.campaign.empty() ? "" : " of campaign '" + s.campaign + "'"));
    for (const analysis::Test& x : t->tests) tests.push_back(x.name);
    devices.insert(devices.end(), t->devices.begin(), t->devices.end());
    configurations.insert(configurations.end(), t->configurations.begin(), t->configurations.end());
    tables.push_back(std::move(*t));
  }
  for (const auto& ok : {check_names(s.only_tests, tests, "test"), check_names(s.only_devices, devices, "device"),
                         check_names(s.only_configurations, configurations, "configuration")})
    if (!ok) return std::unexpected(ok.error());
  if (!s.only_tests.empty() || !s.only_devices.empty() || !s.only_configurations.empty())
    for (analysis::Table& t : tables) t = analysis::select(t, s.only_tests, s.only_devices, s.only_configurations);
  return tables;
}

analysis::Options survey_options(const Settings& s) {
  analysis::Options o;
  o.level = s.level;
  o.reproducibility = s.reproducibility;
  o.seed = s.seed;
  return o;
}

int run_stats(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (of_progress(line.operands, console)) return run_progress_stats(line, console);
  auto parts = parts_of(s.parts);
  if (!parts) return report_errors(console, parts.error());
  if (s.json && s.csv)
    return report_errors(
        console, error_at({}, "--json and --csv are two forms of one answer", "leave one of the two out").error());
  if (!s.output.empty() && line.operands.size() > 1)
    return report_errors(console,
                         error_at({}, "--output takes the winner of one set", "merge the stores, or name one").error());
  if (s.output.empty() && s.has("--domain"))
    return report_errors(console,
                         error_at({}, "--domain is without effect: it is for --output", "add -o tuned.toml").error());
  const auto tables = tables_of(line);
  if (!tables) return report_errors(console, tables.error());
  std::vector<std::string> json;
  std::string text = s.csv ? analysis::k_csv_header : "";
  for (const analysis::Table& t : *tables) {
    const analysis::Analysis a = analysis::analyse(t, survey_options(s));
    analysis::Peeking p;
    if (s.peek > 0) p = {analysis::replay_peeking(t, s.peek, k_peeks, k_repeats, s.seed), s.peek};
    if (s.json)
      json.push_back(analysis::to_json(t, a, p));
    else if (s.csv)
      text += analysis::to_csv(t, a);
    else
      text += (text.empty() ? "" : "\n") + analysis::to_text(t, a, p, *parts, s.all_rows ? 0 : 40);
  }
  if (!s.output.empty()) {
    const analysis::Domain domain = s.domain == "device"        ? analysis::Domain::device
                                    : s.domain == "test"        ? analysis::Domain::test
                                    : s.domain == "combination" ? analysis::Domain::combination
                                                                : analysis::Domain::global;
    const auto plan = analysis::portable_plan(tables->front(), domain);
    if (!plan) return report_errors(console, plan.error());
    if (const auto written = write_output(s.output, *plan); !written) return report_errors(console, written.error());
  }
  console.out(s.json ? json_list(json) : text);
  return k_exit_holds;
}

}  // namespace fencepost::cli
