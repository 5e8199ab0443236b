#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/generated.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/made_suite.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "report/report.h"
#include "suite/conformance.h"

namespace fencepost::cli {
namespace {

using gen::Reach;
using gen::SuiteEntry;

struct Told {
  std::string axioms, reason;  // the axioms that reject candidates, with counts; explain's text
  std::vector<JudgedMutant> mutants;
  bool undecided = false;
};

Told tell(const SuiteEntry& e, const cat::Model& model, const Settings& s, prog::Syntax syntax) {
  Told t;
  const check::Options options = check_options(s);
  Job job = job_of(s);
  const std::string path = e.name + ".litmus";
  const check::Result result = check::check(e.test, model, options, job);
  report::ExplainOptions how;
  const report::Candidates candidates = report::rejected_candidates(e.test, model, options, how, job);
  for (const auto& [axiom, n] : candidates.by_axiom)
    if (n > 0) t.axioms += fmt::format("{}{} ({})", t.axioms.empty() ? "" : "; ", axiom, n);
  t.reason = report::explain_forbidden(path, e.test, model, result, candidates, how).text;
  if (s.mutants) t.mutants = judged_mutants(e, model, s, syntax);
  t.undecided = std::ranges::any_of(t.mutants, [](const JudgedMutant& m) { return m.reach == Reach::undecided; });
  return t;
}

// "MP@01": of a spec its cycle and placement, of a coherence test nothing.
std::string cycle_text(const SuiteEntry& e) { return e.spec ? gen::print(e.spec->cycle) : ""; }
std::string tree_text(const SuiteEntry& e) { return e.spec ? gen::print(e.spec->tree) : ""; }

struct Tally {
  uint64_t allowed = 0, equal = 0, undecided = 0;  // mutants: `equal`, still forbidden
};

}  // namespace

int run_suite(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto syntax = notation_of(s.notation);
  if (!syntax) return report_errors(console, syntax.error());
  if (*syntax == prog::Syntax::gpu_ptx)
    return report_errors(console,
                         unsupported_at({}, "GPU_PTX has no conformance suite: its accesses have no orders to weaken",
                                        "use PTX, VULKAN or OPENCL")
                             .error());
  gen::SuiteRequest request;
  request.syntax = *syntax;
  request.most_threads = std::min(s.family_size, 3u);
  if (s.families != std::vector<std::string>{"all"}) request.families = s.families;
  const bool paths = of_paths(request);
  if (paths && *syntax != prog::Syntax::ptx)
    return report_errors(
        console,
        unsupported_at({}, fmt::format("the family 'async' is not in {}", prog::name(*syntax)), "use PTX").error());
  for (const std::string& f : request.families) {
    if (paths) break;
    const auto known = gen::parse_name(f);
    if (!known) return report_errors(console, known.error());
  }
  ModelCache models;
  const auto& model = models.get(s.model.empty() && paths ? "ptx-9" : s.model, dialect_of(*syntax));
  if (!model) return report_errors(console, model.error());
  if (paths && !model->knows_asynchronous)
    return report_errors(
        console, unsupported_at({}, fmt::format("{} says nothing of asynchronous PTX", s.model), "use ptx-9").error());
  std::optional<Folder> folder, mutant_folder;
  if (!s.output.empty()) {
    auto opened = Folder::open(s.output);
    if (!opened) return report_errors(console, opened.error());
    folder = std::move(*opened);
    if (s.mutants) {
      auto inner = Folder::open(s.output + "/mutants");
      if (!inner) return report_errors(console, inner.error());
      mutant_folder = std::move(*inner);
    }
  }

  auto made = suite_tests(request, *model, s, console);
  if (!made) return report_errors(console, made.error());
  const std::vector<SuiteEntry>& entries = made->entries;
  uint64_t undecided = made->undecided;

  std::string index =
      csv_line({"name", "kind", "family", "cycle", "placement", "axioms", "mutants", "allowed_mutants", "file"});
  std::string mutant_index = csv_line({"test", "mutator", "change", "verdict", "file"}), list, json;
  std::map<std::string, uint64_t> families;
  std::map<gen::Mutator, Tally> tally;
  std::optional<Diagnostics> failed;
  Progress progress(console, entries.size(), "tests", true);
  in_order(
      entries.size(), s.threads, progress, [&](size_t i) { return tell(entries[i], *model, s, *syntax); },
      [&](size_t i, Told t) {
        if (failed) return;
        const SuiteEntry& e = entries[i];
        ++families[e.family];
        undecided += t.undecided ? 1 : 0;
        uint64_t allowed = 0;
        for (const JudgedMutant& m : t.mutants) {
          Tally& of = tally[m.mutant.mutator];
          const prog::Test& test = m.mutant.test;
          ++(m.allowed() ? of.allowed : m.reach == Reach::undecided ? of.undecided : of.equal);
          allowed += m.allowed() ? 1 : 0;
          const std::string file = test.title + ".litmus";
          mutant_index +=
              csv_line({e.name, gen::name(m.mutant.mutator), m.mutant.what, gen::name(m.reach), "mutants/" + file});
          if (mutant_folder)
            if (auto ok = mutant_folder->write(file, print::print(test)); !ok) failed = ok.error();
        }
        index += csv_line({e.name, e.kind, e.family, cycle_text(e), tree_text(e), t.axioms,
                           std::to_string(t.mutants.size()), std::to_string(allowed), e.name + ".litmus"});
        if (folder) {
          auto ok = folder->write(e.name + ".litmus", print::print(e.test));
          if (ok) ok = folder->write(e.name + ".why.txt", t.reason);
          if (!ok) failed = ok.error();
        } else {
          list += fmt::format("{:<9} {:<40} {}\n", e.kind, e.name, t.axioms);
        }
        if (s.json)
          json += fmt::format(
              "{}\n    {{\"name\": {}, \"kind\": {}, \"family\": {}, \"cycle\": {}, \"placement\": {}, \"axioms\": {}, "
              "\"mutants\": {}, \"allowed_mutants\": {}, \"text\": {}, \"reason\": {}}}",
              json.empty() ? "" : ",", json_string(e.name), json_string(e.kind), json_string(e.family),
              json_string(cycle_text(e)), json_string(tree_text(e)), json_string(t.axioms), t.mutants.size(), allowed,
              json_string(print::print(e.test)), json_string(t.reason));
      });
  progress.clear();
  if (!failed && folder) {
    auto ok = folder->write("index.csv", index);
    if (ok && s.mutants) ok = folder->write("mutants.csv", mutant_index);
    if (!ok) failed = ok.error();
  }
  if (failed) return report_errors(console, *failed);
  if (s.json) {
    std::string by;
    for (const auto& [m, t] : tally)
      by += fmt::format("{}{}: {{\"allowed\": {}, \"forbidden\": {}, \"undecided\": {}}}", by.empty() ? "" : ", ",
                        json_string(gen::name(m)), t.allowed, t.equal, t.undecided);
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.suite/1\",\n  \"dialect\": {}, \"cycles\": {}, "
                    "\"cycles_not_forbidden\": {},\n  \"mutators\": {{{}}},\n  \"tests\": [{}]\n}}\n",
                    json_string(prog::name(*syntax)), made->cycles, made->unreachable, by, json));
  } else {
    std::string by_family;
    for (const auto& [f, n] : families) by_family += fmt::format("{}{} {}", by_family.empty() ? "" : ", ", f, n);
    list += fmt::format("{} tests: {}\n{} cycles, {} of them not forbidden at their strongest\n", entries.size(),
                        by_family, made->cycles, made->unreachable);
    for (const auto& [m, t] : tally)
      list += fmt::format("mutator {:<15} {:>5} allowed, {:>5} still forbidden{}\n", gen::name(m), t.allowed, t.equal,
                          t.undecided > 0 ? fmt::format(", {} undecided", t.undecided) : "");
    console.out(list);
  }
  return undecided > 0 ? k_exit_undecided : k_exit_holds;
}

}  // namespace fencepost::cli
