// Does a test end under a progress model?
#include <fmt/format.h>

#include "cli/file_report.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "draw/graph.h"
#include "draw/graphml.h"

namespace fencepost::cli {
namespace {

std::string set_json(fair::ThreadSet set) {
  std::string out;
  for (uint32_t t = 0; t < axb::k_max_threads; ++t)
    if ((set >> t) & 1) out += fmt::format("{}{}", out.empty() ? "" : ", ", t);
  return "[" + out + "]";
}

std::string events_json(const axb::Test& test, const std::vector<oracle::Event>& events) {
  std::string out;
  for (const oracle::Event& e : events)
    out += fmt::format(
        "{}\n      {{\"thread\": {}, \"pc\": {}, \"next\": {}, \"instruction\": {}, \"read\": {}, \"ends\": {}, "
        "\"fair\": {}, \"memory\": [{}]}}",
        out.empty() ? "" : ",", e.thread, e.pc, e.next_pc, json_string(axb::to_string(test, e.thread, e.pc)), e.read,
        e.ends, set_json(e.fair), fmt::join(e.memory, ", "));
  return "[" + out + "]";
}

std::string answer_json(const NamedTest& t, const fair::Model& m, oracle::Fairness f, const oracle::Answer& a) {
  std::string lasso = "null";
  if (a.lasso)
    lasso = fmt::format("{{\n    \"starving\": {}, \"fair\": {},\n    \"prefix\": {},\n    \"cycle\": {}}}",
                        set_json(a.lasso->starving), set_json(a.lasso->fair), events_json(t.test, a.lasso->prefix),
                        events_json(t.test, a.lasso->cycle));
  return fmt::format(
      "{{\n  \"schema\": \"fencepost.progress.check/1\",\n  \"path\": {}, \"name\": {}, \"model\": {}, \"fairness\": "
      "\"{}\",\n"
      "  \"verdict\": \"{}\", \"detail\": {}, \"states\": {}, \"transitions\": {},\n  \"lasso\": {}\n}}\n",
      json_string(t.label), json_string(t.test.name), json_string(m.name()), oracle::name(f),
      fencepost::name(a.verdict.status), json_string(a.verdict.detail), a.states, a.transitions, lasso);
}

Expected<void> write_witness(const std::string& path, const NamedTest& t, const fair::Model& m, oracle::Fairness f,
                             const oracle::Answer& a) {
  const auto ends = [&](std::string_view e) { return path.ends_with(e); };
  if (ends(".svg")) return write_output(path, draw::to_svg(oracle::to_graph(t.test, m, f, *a.lasso)));
  if (ends(".dot")) return write_output(path, draw::to_dot(oracle::to_graph(t.test, m, f, *a.lasso)));
  if (ends(".graphml")) return write_output(path, draw::to_graphml(oracle::to_graph(t.test, m, f, *a.lasso)));
  if (ends(".json")) return write_output(path, answer_json(t, m, f, a));
  if (ends(".txt")) return write_output(path, oracle::to_text(t.test, m, f, *a.lasso));
  return error_at({}, fmt::format("the ending of '{}' names no form", path),
                  "*.svg, *.dot, *.graphml, *.json or *.txt");
}

// `alone`: one model and one fairness were asked for; a failure of a single test then shows its schedule.
FileReport check_file(const std::string& path, const Settings& s, const std::vector<fair::Model>& models, bool alone) {
  FileReport r;
  const auto refuse = [&](const Diagnostics& ds) { cli::refuse(r, s, path, ds); };
  const auto tests = progress_tests_of(path);
  if (!tests) {
    refuse(tests.error());
    return r;
  }
  if (!s.witness.empty() && tests->size() != 1) {
    refuse(error_at({}, fmt::format("--witness shows one test, and '{}' holds {}", path, tests->size())).error());
    return r;
  }
  for (const NamedTest& t : *tests) {
    Job job = job_of(s);  // the budget is of the test, however many models it is asked under
    for (const fair::Model& m : models)
      for (const oracle::Fairness f : fairnesses(s.fairness)) {
        const bool show = alone && tests->size() == 1;
        const auto a = oracle::decide(t.test, m, f, {}, job, show || s.json);
        if (!a) {
          refuse(a.error());
          break;  // a fault of the model; the other fairness has it too
        }
        if (s.json)
          r.json.push_back(answer_json(t, m, f, *a));
        else if (s.csv)
          r.out += fmt::format("{},{},{},{}\n", t.label, m.name(), oracle::name(f), fencepost::name(a->verdict.status));
        else {
          r.out +=
              fmt::format("{}  {} {}  {}{}{}\n", t.label, m.name(), oracle::name(f), fencepost::name(a->verdict.status),
                          a->verdict.detail.empty() ? "" : "  ", a->verdict.detail);
          if (show && a->lasso) r.out += "\n" + oracle::to_text(t.test, m, f, *a->lasso);
        }
        r.code = worse(r.code, fencepost::exit_code(a->verdict.status));
        if (s.witness.empty()) continue;
        if (!a->lasso) {
          r.err += fmt::format("{}: note: nothing starves, so {} is not written\n", path, s.witness);
        } else if (const auto written = write_witness(s.witness, t, m, f, *a); !written) {
          refuse(written.error());
        }
      }
  }
  return r;
}

}  // namespace

int run_progress_check(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto files = expand(line.operands, {".axb"});
  if (!files) return report_errors(console, files.error());
  const auto models = progress_models(s.progress_models);
  if (!models) return report_errors(console, models.error());
  const bool alone = models->size() == 1 && s.fairness != "both" && files->size() == 1;
  if (!s.witness.empty() && !alone)
    return report_errors(
        console, error_at({}, "--witness shows one schedule", "name one test, one --model and one --fairness").error());
  if (s.csv && !s.json) console.out("test,model,fairness,verdict\n");
  return report_files(*files, s, console, [&](const std::string& path) { return check_file(path, s, *models, alone); });
}

}  // namespace fencepost::cli
