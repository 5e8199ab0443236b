// Small verbs over progress tests and models: print, models, lts.
#include <fmt/format.h>

#include <algorithm>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "oracle/steps.h"
#include "synth/synth.h"

namespace fencepost::cli {

int run_progress_print(const CommandLine& line, const Console& console) {
  const auto tests = progress_tests_of(line.operands.front());
  if (!tests) return report_errors(console, tests.error());
  const std::string& form = line.settings.form;
  if (form == "pseudo" && tests->size() > 1)
    return report_errors(console, error_at({},
                                           fmt::format("the published pseudo-code holds one test, and '{}' has {}",
                                                       line.operands.front(), tests->size()),
                                           "--form text or json holds any number")
                                      .error());
  for (size_t i = 0; i < tests->size(); ++i) {
    const axb::Test& t = (*tests)[i].test;
    if (form == "text" && i > 0) console.out("\n");
    console.out(form == "list"     ? synth::list_line(t) + "\n"
                : form == "json"   ? axb::to_json_line(t) + "\n"
                : form == "pseudo" ? axb::to_pseudo_code(t)
                                   : axb::to_text(t));
  }
  return k_exit_holds;
}

int run_progress_models(const CommandLine& line, const Console& console) {
  std::vector<fair::ModelInfo> list;
  int code = k_exit_holds;
  if (line.operands.empty()) list = fair::shipped_models();
  for (const std::string& path : line.operands) list.push_back({path, path, ""});
  struct Row {
    std::string name, kind, summary, path;
  };
  std::vector<Row> rows;
  for (const fair::ModelInfo& m : list) {
    const auto model = fair::load_model(m.path);
    if (!model) {
      code = worse(code, report_errors(console, model.error()));
      continue;
    }
    rows.push_back({model->name(), model->closed_form() ? "closed form" : "machine", model->summary(), m.path});
  }
  if (line.settings.json) {
    std::string out;
    for (const Row& r : rows)
      out +=
          fmt::format("{}\n    {{\"name\": {}, \"kind\": {}, \"path\": {}, \"summary\": {}}}", out.empty() ? "" : ",",
                      json_string(r.name), json_string(r.kind), json_string(r.path), json_string(r.summary));
    console.out(fmt::format("{{\n  \"schema\": \"fencepost.progress.models/1\",\n  \"models\": [{}]\n}}\n", out));
    return code;
  }
  size_t width = 0;
  for (const Row& r : rows) width = std::max(width, r.name.size());
  for (const Row& r : rows) console.out(fmt::format("{:<{}}  {:<11}  {}\n", r.name, width, r.kind, r.summary));
  return code;
}

namespace {

std::string size_text(const oracle::Lts& l) { return fmt::format("{}/{}", l.states, l.edges.size()); }

// --count: states and transitions of every form, without a model and under each.
int count_lts(const axb::Test& test, const Settings& s, const Console& console) {
  const auto models = progress_models(s.progress_models);
  if (!models) return report_errors(console, models.error());
  struct Counted {
    std::string model;
    oracle::Lts steps, raw, abstract, all_done;
  };
  std::vector<Counted> rows;
  std::vector<const fair::Model*> asked{nullptr};
  for (const fair::Model& m : *models) asked.push_back(&m);
  for (const fair::Model* m : asked) {
    auto steps = oracle::steps_lts(test, m, {});
    auto raw = oracle::lts(test, m, false, {});
    auto abstract = oracle::lts(test, m, true, {});
    for (const auto* l : {&steps, &raw, &abstract})
      if (!*l) return report_errors(console, l->error());
    oracle::Lts all_done = oracle::with_all_done(*abstract);
    rows.push_back({m == nullptr ? "no model" : m->name(), std::move(*steps), std::move(*raw), std::move(*abstract),
                    std::move(all_done)});
  }
  if (s.json) {
    const auto pair = [](const oracle::Lts& l) { return fmt::format("[{}, {}]", l.states, l.edges.size()); };
    std::string list;
    for (const Counted& r : rows)
      list += fmt::format("{}\n    {{\"model\": {}, \"steps\": {}, \"raw\": {}, \"abstract\": {}, \"all_done\": {}}}",
                          list.empty() ? "" : ",", json_string(r.model), pair(r.steps), pair(r.raw), pair(r.abstract),
                          pair(r.all_done));
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.lts.count/1\",\n  \"test\": {},\n  \"sizes\": [{}]\n}}\n",
                    json_string(test.name), list));
    return k_exit_holds;
  }
  console.out(fmt::format("{:<10}  {:>11}  {:>9}  {:>8}  {:>12}   states/transitions\n", "model", "steps alone",
                          "with ends", "abstract", "with ALLDONE"));
  for (const Counted& r : rows)
    console.out(fmt::format("{:<10}  {:>11}  {:>9}  {:>8}  {:>12}\n", r.model, size_text(r.steps), size_text(r.raw),
                            size_text(r.abstract), size_text(r.all_done)));
  return k_exit_holds;
}

}  // namespace

int run_progress_lts(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (s.raw && s.abstract)
    return report_errors(console, error_at({}, "--raw and --abstract exclude each other").error());
  if (s.progress_models.size() > 1 && !s.count)
    return report_errors(console, error_at({}, "progress lts takes one model, or none").error());
  const auto tests = progress_tests_of(line.operands.front());
  if (!tests) return report_errors(console, tests.error());
  if (tests->size() != 1)
    return report_errors(console, error_at({}, fmt::format("'{}' holds {} tests, and this verb takes one",
                                                           line.operands.front(), tests->size()))
                                      .error());
  if (s.count) return count_lts(tests->front().test, s, console);
  std::optional<fair::Model> model;
  if (!s.progress_models.empty()) {
    auto loaded = fair::load_model(s.progress_models.front());
    if (!loaded) return report_errors(console, loaded.error());
    model = std::move(*loaded);
  }
  const auto lts = oracle::lts(tests->front().test, model ? &*model : nullptr, s.abstract, {});
  if (!lts) return report_errors(console, lts.error());
  const auto ends = [&](std::string_view e) { return s.output.ends_with(e); };
  if (s.output.empty() && !s.json) {
    console.out(oracle::to_aut(*lts));
    return k_exit_holds;
  }
  if (s.json) {
    std::string edges;
    for (const auto& e : lts->edges)
      edges += fmt::format("{}\n    [{}, {}, {}]", edges.empty() ? "" : ",", e.from, json_string(e.label), e.to);
    std::string names;
    for (const auto& n : lts->state_names) names += fmt::format("{}\n    {}", names.empty() ? "" : ",", json_string(n));
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.lts/1\",\n  \"initial\": {},\n  \"states\": {},\n  "
                    "\"state_names\": [{}],\n  \"edges\": [{}]\n}}\n",
                    lts->initial, lts->states, names, edges));
    if (s.output.empty()) return k_exit_holds;
  }
  if (!ends(".aut") && !ends(".dot") && !ends(".svg"))
    return report_errors(
        console,
        error_at({}, fmt::format("the ending of '{}' names no form", s.output), "*.aut, *.dot or *.svg").error());
  const auto written = write_output(s.output, ends(".aut")   ? oracle::to_aut(*lts)
                                              : ends(".dot") ? oracle::to_dot(*lts)
                                                             : oracle::to_svg(*lts));
  return written ? k_exit_holds : report_errors(console, written.error());
}

}  // namespace fencepost::cli
