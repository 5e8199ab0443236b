#include "hunt/report.h"

#include <fmt/format.h>

#include <map>

#include "hunt/gate.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

Effect effect_of(const std::string& word) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
    if (word == name(static_cast<Effect>(e))) return static_cast<Effect>(e);
  return Effect::absent;
}

std::string table_of(const Fault& f) {
  std::string out = "| compiler, target, level | result |\n|---|---|\n";
  for (const auto& [configuration, what] : f.table) out += fmt::format("| {} | {} |\n", configuration, what);
  return out;
}

std::string target_of(const std::string& configuration) {
  const size_t from = configuration.find(' '), to = configuration.rfind(' ');
  return configuration.substr(from + 1, to - from - 1);
}
std::string level_of(const std::string& configuration) { return configuration.substr(configuration.rfind(' ') + 1); }

std::string report_of(const Fault& f) {
  const Effect e = effect_of(f.effect);
  std::string out = fmt::format("# {}: `{}`\n\n", f.signature, f.culprit);
  out += fmt::format("Compiler: {}.\n\n", f.configuration);
  if (!f.known.empty()) out += fmt::format("Known: {}.\n\n", f.known);
  out += "## What is wrong\n\n";
  out += fmt::format("{}: {}.\n\nThe PTX ISA asks for it: {}.\n\n", sentence(e), f.detail, clause(e));
  out +=
      fmt::format("## How to see it\n\n```\nptxas {} -arch={} test.ptx -o test.cubin\nnvdisasm -c test.cubin\n```\n\n",
                  level_of(f.configuration), target_of(f.configuration));
  out += fmt::format("The smallest test, in the notation of the hunt: `{}`. As PTX (`test.ptx`):\n\n", f.reduced);
  if (const auto t = parse_test(f.reduced)) out += "```\n" + kernel_of(*t, "test") + "```\n\n";
  if (!f.listing.empty())
    out +=
        "Machine code (address, line, scoreboard set, scoreboards awaited, text; line 10 and up are the test's "
        "instructions):\n\n```\n" +
        f.listing + "```\n\n";
  if (!f.right_listing.empty()) out += fmt::format("Right, {}:\n\n```\n{}```\n\n", f.right_where, f.right_listing);
  out += "## Where\n\n" + table_of(f) + "\nFound in: `" + f.test + "`.\n";
  return out;
}

}  // namespace

std::vector<ReportFile> report_files(const Summary& s) {
  std::vector<ReportFile> out;
  std::map<std::string, uint32_t> numbers;
  std::string index = "# Faults\n\n| folder | signature | smallest test | known |\n|---|---|---|---|\n";
  for (const Fault& f : s.faults) {
    const std::string folder = fmt::format("{}-{}", f.effect, ++numbers[f.effect]);
    index += fmt::format("| [{0}]({0}/report.md) | {1} | `{2}` | {3} |\n", folder, f.signature, f.reduced,
                         f.known.empty() ? "new" : f.known);
    out.push_back({folder + "/report.md", report_of(f)});
    if (const auto t = parse_test(f.reduced))
      out.push_back({folder + "/test.ptx", module_of({*t}, target_of(f.configuration)).text});
    if (!f.listing.empty())
      out.push_back({folder + "/wrong.rec", recorded(f.reduced, target_of(f.configuration), f.listing)});
    if (!f.right_listing.empty())
      out.push_back({folder + "/right.rec", recorded(f.reduced, target_of(f.right_where), f.right_listing)});
  }
  out.push_back({"index.md", index});
  return out;
}

}  // namespace fencepost::hunt
