#include "analysis/portable_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/analyse.h"

namespace fencepost::analysis {

Expected<std::string> portable_plan(const Table& table, stats::Domain domain) {
  std::vector<uint32_t> configurations;
  std::string note;
  const auto combinations = comparable_counts(table, configurations, note);
  if (combinations.empty() && !table.sightings)
    return error_at({}, fmt::format("{} has no combination of test and device that shows the weak outcome", table.name),
                    "longer measurements, or other tests, may have one");
  if (combinations.empty() || configurations.size() < 2)
    return error_at({},
                    fmt::format("{} has {} configuration{} that can be compared, and one that serves many tests or "
                                "devices is chosen from two or more",
                                table.name, configurations.size(), configurations.size() == 1 ? "" : "s"),
                    "`fencepost tune --explore` measures many configurations alike");
  const stats::Portable chosen = stats::portable(combinations, stats::Metric::mlfs_f, domain);
  const bool by_device = domain == stats::Domain::device || domain == stats::Domain::combination;
  // Where a parameter gave way to a test, the configuration has several texts; the tests of each are named.
  std::map<std::string, std::map<std::string, std::set<std::string>>> by_name;  // name -> lines -> tests
  std::set<std::string> numbers;
  for (size_t k = 0; k < combinations.size(); ++k) {
    const uint32_t d = combinations[k].device, t = combinations[k].test;
    const uint32_t c = configurations[chosen.configuration[k]];
    const std::string& how = table.at(d, t, c).how;
    if (how.empty())
      return error_at({},
                      fmt::format("{}: the results of '{}' on {} do not say under which parameters they were made",
                                  table.name, table.tests[t].name, table.devices[d]),
                      "a store of `campaign` or `tune` says it");
    numbers.insert(table.configurations[c]);
    by_name[by_device ? "portable for " + table.devices[d] : "portable"][how].insert(table.tests[t].name);
  }
  std::string out = fmt::format(
      "# Chosen by `fencepost stats` ({}, MLFS-F): configuration {} of {}. {} of {} combinations of test and device "
      "show "
      "the\n# weak outcome under it. For a campaign's plan (docs/campaigns.md); `run` takes the parameters and the "
      "mode.\n",
      stats::name(domain), fmt::join(numbers, ", "), table.name, chosen.weak, chosen.possible);
  if (by_device && table.devices.size() > 1)
    out += "# A plan runs every configuration on each of its devices: keep, for each, the one that has its name.\n";
  const bool by_test = domain == stats::Domain::test || domain == stats::Domain::combination;
  for (const auto& [name, texts] : by_name) {
    // Of several configurations of one name a test has the first that fits, and "SB+*" fits what begins with "SB+":
    // so longer names come first.
    std::vector<std::pair<std::string, std::string>> order;  // test, lines
    for (const auto& [how, tests] : texts)
      for (const std::string& t : tests) order.emplace_back(t, how);
    std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto& o) { return o.first.size(); });
    for (size_t k = 0; k < order.size();) {
      const std::string& how = order[k].second;
      std::vector<std::string> patterns;
      for (; k < order.size() && order[k].second == how; ++k)
        for (const char* end : {"", "+*", "@*", "-*"}) patterns.push_back(fmt::format("\"{}{}\"", order[k].first, end));
      out += fmt::format("\n[[configuration]]\nname = \"{}\"\n", name);
      // One text serves every test, also those that were not measured.
      if (texts.size() > 1 || by_test) out += fmt::format("tests = [{}]\n", fmt::join(patterns, ", "));
      out += "give_way = true\n" + how;
    }
  }
  return out;
}

}  // namespace fencepost::analysis
