// Progress tests as programs for devices.
#include <fmt/format.h>

#include <filesystem>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "export/export.h"

namespace fencepost::cli {
namespace fs = std::filesystem;
namespace {

std::unexpected<Diagnostics> unknown(std::string_view option, const std::string& word,
                                     const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return error_at(
      {}, fmt::format("'{}' is not a value for {}", word, option),
      near.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : fmt::format("did you mean '{}'?", near));
}

Expected<std::vector<exports::Options>> wanted(const Settings& s) {
  exports::Options o;
  o.total = static_cast<uint32_t>(s.total);
  o.seed = s.seed;
  o.order = *exports::order_from(s.order);
  o.loads = *exports::loads_from(s.loads);
  const std::vector<std::string> targets = s.targets.empty() ? std::vector<std::string>{"cpp"} : s.targets;
  const std::vector<std::string> mappings = s.mappings.empty() ? std::vector<std::string>{"plain"} : s.mappings;
  std::vector<exports::Options> out;
  for (const std::string& t : targets)
    for (const std::string& m : mappings) {
      const auto target = exports::target_from(t);
      if (!target) return unknown("--target", t, exports::target_names());
      const auto mapping = exports::mapping_from(m);
      if (!mapping) return unknown("--mapping", m, exports::mapping_names());
      o.target = *target;
      o.mapping = *mapping;
      o.bundle = s.bundle ? fmt::format("tests_{}", m == "round-robin" ? "round_robin" : m) : "";
      out.push_back(o);
    }
  return out;
}

}  // namespace

int run_progress_export(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (s.output.empty())
    return report_errors(console, error_at({}, "'progress export' needs a folder to write to", "-o DIR").error());
  const auto options = wanted(s);
  if (!options) return report_errors(console, options.error());
  const auto named = progress_tests(line.operands);
  if (!named) return report_errors(console, named.error());
  std::vector<axb::Test> tests;
  for (const NamedTest& t : *named) tests.push_back(t.test);
  std::error_code failed;
  fs::create_directories(s.output, failed);
  if (failed)
    return report_errors(
        console, error_at({}, fmt::format("the folder '{}' cannot be made: {}", s.output, failed.message())).error());
  std::vector<std::string> names;
  for (const exports::Options& o : *options) {
    const auto files = exports::export_files(tests, o);
    if (!files) return report_errors(console, files.error());
    for (const exports::File& f : *files) {
      const fs::path path = fs::path(s.output) / f.name;
      fs::create_directories(path.parent_path(), failed);
      if (const auto written = write_output(path.string(), f.text); !written)
        return report_errors(console, written.error());
      names.push_back(f.name);
    }
  }
  if (s.json) {
    std::string list;
    for (const std::string& n : names) list += fmt::format("{}\n    {}", list.empty() ? "" : ",", json_string(n));
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.export/1\",\n  \"folder\": {},\n  \"files\": [{}]\n}}\n",
                    json_string(s.output), list));
  } else {
    console.out(fmt::format("{} test{}, {} file{} in {}\n", tests.size(), tests.size() == 1 ? "" : "s", names.size(),
                            names.size() == 1 ? "" : "s", s.output));
  }
  return k_exit_holds;
}

}  // namespace fencepost::cli
