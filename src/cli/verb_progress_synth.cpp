// progress synth: makes all progress tests of a given size.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <exception>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "synth/synth.h"

namespace fencepost::cli {
namespace {

Expected<synth::Request> request_of(const Settings& s) {
  synth::Request r;
  r.threads = s.thread_count;
  r.instructions = s.instructions;
  for (const std::string& word : s.per_thread) {
    uint32_t n = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (failed != std::errc{} || end != word.data() + word.size() || n > 64)
      return error_at({}, fmt::format("'{}' is not a number of instructions for --per-thread", word),
                      "--per-thread 2,2");
    r.per_thread.push_back(n);
  }
  r.locations = s.locations;
  r.values = s.values;
  const auto constraints = synth::parse_constraints(s.constraints);
  if (!constraints) return std::unexpected(constraints.error());
  r.constraints = *constraints;
  r.older_stores = s.older_stores;
  if (!s.shapes.empty()) {
    const auto shapes = synth::parse_shapes(s.shapes);
    if (!shapes) return std::unexpected(shapes.error());
    r.shapes = *shapes;
  }
  const auto symmetry = synth::parse_symmetry(s.symmetry);
  if (!symmetry) return std::unexpected(symmetry.error());
  r.symmetry = *symmetry;
  if (const auto valid = synth::validate(r); !valid) return std::unexpected(valid.error());
  return r;
}

// The test as a JSON line, with what was found out about it as further fields.
std::string json_line(const synth::Found& f, const std::vector<fair::Model>& models) {
  std::string line = axb::to_json_line(f.test);
  line.pop_back();
  line += fmt::format(",\"labelled\":{},\"states\":{},\"actions\":{}", f.labelled, f.size.states, f.size.actions);
  if (!f.idiom.empty()) line += fmt::format(",\"idiom\":{}", json_string(f.idiom));
  if (!models.empty()) {
    std::string list;
    for (size_t m = 0; m < models.size(); ++m)
      list += fmt::format("{}{}:{{\"weak\":{},\"strong\":{}}}", m > 0 ? "," : "", json_string(models[m].name()),
                          f.verdicts[m].weak ? "\"PASS\"" : "\"FAIL\"", f.verdicts[m].strong ? "\"PASS\"" : "\"FAIL\"");
    line += fmt::format(",\"verdicts\":{{{}}}", list);
  }
  return line + "}\n";
}

std::string text_of(const synth::Found& f, const std::vector<fair::Model>& models) {
  std::string out;
  if (!f.idiom.empty()) out += fmt::format("// {}\n", f.idiom);
  for (size_t m = 0; m < models.size(); ++m)
    out += fmt::format("// {}: weak {}, strong {}\n", models[m].name(), f.verdicts[m].weak ? "ends" : "may starve",
                       f.verdicts[m].strong ? "ends" : "may starve");
  return out + axb::to_text(f.test) + "\n";
}

}  // namespace

int run_progress_synth(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto request = request_of(s);
  if (!request) return report_errors(console, request.error());
  synth::Options options;
  options.jobs = s.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : s.threads;
  options.count_only = s.count;
  options.state_file = s.resume;
  if (s.verdicts && !s.count) {
    auto models = progress_models({});
    if (!models) return report_errors(console, models.error());
    options.models = std::move(*models);
  }
  std::string listed;  // written at the end, so that a refusal leaves an older file alone
  const bool to_file = !s.output.empty() && !s.count;
  std::optional<Progress> progress;
  options.progress = [&](uint64_t done, uint64_t total) {
    if (!progress) progress.emplace(console, total, "work units");
    progress->at(done);
  };
  Job job = job_of(s);
  // The work is on other threads, which nothing may leave by throwing: what is lost stops the work, and is told after
  // it.
  std::exception_ptr lost;
  std::atomic<bool> stop = false;
  job.cancelled = &stop;
  const auto print = [&](const std::string& text) {
    if (stop) return;
    try {
      if (progress) progress->clear();
      console.out(text);
    } catch (...) {
      lost = std::current_exception();
      stop = true;
    }
  };
  const auto summary = synth::synthesise(*request, options, job, [&](const synth::Found& f) {
    const std::string text = s.form == "list"             ? synth::list_line(f.test) + "\n"
                             : s.form == "pseudo"         ? axb::to_pseudo_code(f.test)
                             : s.form == "json" || s.json ? json_line(f, options.models)
                                                          : text_of(f, options.models);
    if (to_file) {
      listed += text;
      return;
    }
    print(text);
  });
  progress.reset();
  if (lost != nullptr) std::rethrow_exception(lost);
  if (!summary) return report_errors(console, summary.error());
  if (to_file) {
    if (const auto written = write_output(s.output, listed); !written) return report_errors(console, written.error());
  }
  if (s.count && s.json)
    console.out(fmt::format(
        "{{\n  \"schema\": \"fencepost.progress.synth/1\",\n  \"config\": {}, \"canonical\": {}, \"labelled\": {}, "
        "\"complete\": {}\n}}\n",
        json_string(synth::config_name(*request)), summary->canonical, summary->labelled, summary->complete()));
  else if (s.count)
    console.out(fmt::format("canonical {} labelled {}\n", summary->canonical, summary->labelled));
  else
    console.err(fmt::format("{}: canonical {} labelled {}\n", synth::config_name(*request), summary->canonical,
                            summary->labelled));
  if (summary->complete()) return k_exit_holds;
  console.err(
      fmt::format("note: {} of {} work units are done; --resume goes on\n", summary->units_done, summary->units));
  return k_exit_undecided;
}

int run_progress_account(const CommandLine& line, const Console& console) {
  const auto named = progress_tests(line.operands);
  if (!named) return report_errors(console, named.error());
  std::vector<axb::Test> tests;
  for (const NamedTest& t : *named) tests.push_back(t.test);
  Job job = job_of(line.settings);
  const auto accounts = synth::account(tests, job);
  if (!accounts) return report_errors(console, accounts.error());
  if (line.settings.json) {
    std::string list;
    for (const synth::Account& a : *accounts)
      list += fmt::format(
          "{}\n    {{\"test\": {}, \"current\": {}, \"older\": {}, \"renamed\": {}, \"duplicate_of\": {}, "
          "\"renaming_of\": {}}}",
          list.empty() ? "" : ",", json_string(a.test), a.current, a.older, a.renamed, json_string(a.duplicate_of),
          json_string(a.renaming_of));
    console.out(fmt::format("{{\n  \"schema\": \"fencepost.progress.account/1\",\n  \"tests\": [{}]\n}}\n", list));
  } else {
    console.out(synth::to_table(*accounts));
  }
  return k_exit_holds;
}

}  // namespace fencepost::cli
