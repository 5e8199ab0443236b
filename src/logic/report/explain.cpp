// The verb `explain`: decide first, then tell why.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "prog/state.h"
#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/listing.h"
#include "report/naming.h"
#include "report/report.h"
#include "report/story.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using prog::Quantifier;
using reference::Execution;
using vocab::Base;

std::string head_text(const std::string& path, const prog::Test& test, const cat::Model& model, bool races) {
  std::string title = test.title.empty() ? base_name(path) : test.title;
  return fmt::format("{}\n  file      {}\n  model     {}\n  question  {}\n\n", title, path, model_name(model),
                     races ? "is there a data race (does the model raise a flag)?" : question_text(test));
}

std::string model_name(const cat::Model& model) {
  std::string s = base_name(model.path);
  if (s.ends_with(".cat")) s.resize(s.size() - 4);
  if (s.empty()) s = model.title;
  std::string answers;  // other than the defaults, which are the first names of their questions
  for (const auto& [question, answer] : model.variants) {
    const auto first = std::find_if(model.names.begin(), model.names.end(),
                                    [&](const auto& n) { return n.first.starts_with(question + "-"); });
    if (first != model.names.end() && first->first != question + "-" + answer)
      answers += fmt::format("{}{}={}", answers.empty() ? "" : ",", question, answer);
  }
  return answers.empty() ? s : fmt::format("{}[{}]", s, answers);
}

std::string axiom_text(const cat::Model& model, uint32_t index) {
  const cat::Axiom& a = model.axioms[index];
  std::string place = place_of(a.span);
  return fmt::format("axiom {}{}", a.name, place.empty() ? "" : " (" + place + ")");
}

std::string axiom_rule(const cat::Model& model, uint32_t index) {
  const cat::Axiom& a = model.axioms[index];
  std::string e = reference::expression(model, a.node, 160, true);
  std::string name = model.nodes[a.node].name;
  if (!name.empty() && model.nodes[a.node].op != cat::NodeOp::base_rel) e = name;
  std::string rule = fmt::format("{}{} {}", a.negated ? "~" : "", cat::name(a.kind), e);
  return a.flag ? "flag " + rule : rule;
}

namespace {

// What the axiom demands, in words, for the reader who meets cat for the first time.
std::string demand(const cat::Axiom& a) {
  if (a.negated) {
    switch (a.kind) {
      case cat::AxiomKind::acyclic:
        return "asks for a cycle, and there is none";
      case cat::AxiomKind::irreflexive:
        return "asks for an event related to itself, and there is none";
      case cat::AxiomKind::empty:
        return "asks for something that this execution does not have";
    }
  }
  switch (a.kind) {
    case cat::AxiomKind::acyclic:
      return "allows no cycle, but there is one:";
    case cat::AxiomKind::irreflexive:
      return "allows no event to be related to itself, but there is a loop:";
    case cat::AxiomKind::empty:
      return "allows no such pair, but there is one:";
  }
  return "";
}

std::string pair_text(const prog::Test& test, const cat::Model& model, const Execution& x,
                      const reference::Explanation& e) {
  const reference::Reason& r = e.edges[0];
  return model.nodes[r.node].type == cat::Type::set
             ? event_name(test, x, r.from)
             : fmt::format("{} and {}", event_name(test, x, r.from), event_name(test, x, r.to));
}

}  // namespace

std::string explanation_text(const prog::Test& test, const cat::Model& model, const Execution& x,
                             const reference::Explanation& e, size_t indent) {
  std::string pad(indent, ' ');
  const cat::Axiom& a = model.axioms[e.axiom];
  std::string out = fmt::format("{}{}\n{}  {}\n", pad, axiom_text(model, e.axiom), pad, axiom_rule(model, e.axiom));
  out += fmt::format("{}  {}\n", pad, demand(a));
  if (e.edges.empty()) return out;
  Story story = tell(test, model, x, e);
  std::string what = story.cyclic ? "" : pair_text(test, model, x, e) + (story.summary.empty() ? "" : ": ");
  out += fmt::format("\n{}    {}{}\n", pad, what, story.summary);
  out += fmt::format("\n{}  step by step:\n", pad);
  out += story_text(test, model, x, story, indent + 4);
  out += clauses_text(test, model, x, e, indent + 2);
  return out;
}

// ---- rejected candidates -----------------------------------------------------------------------------
Candidates rejected_candidates(const prog::Test& test, const cat::Model& model, const check::Options& check_options,
                               const ExplainOptions& options, Job& job) {
  Candidates out;
  // Candidates that agree on who reads from whom tell one story; of them the one that breaks the fewest axioms, then
  // the one with the shortest explanation, is the most telling.
  std::map<std::map<reference::EventKey, reference::EventKey>, size_t> by_rf;
  std::map<uint32_t, uint64_t> by_axiom;
  check::forbidden_candidates(
      test, model, check_options, job, [&](const reference::RunResult& run, const reference::Choices& choices) {
        ++out.seen;
        reference::Evaluation ev = reference::evaluate(model, run.execution);
        for (uint32_t a : ev.violated) ++by_axiom[a];
        auto [it, fresh] = by_rf.try_emplace(choices.rf, out.list.size());
        bool worth = fresh || ev.violated.size() <= out.list[it->second].why.size();
        if (worth) {
          Candidate c{run, choices, reference::explain(model, run.execution, ev, false)};
          for (const reference::Explanation& e : c.why)
            FENCEPOST_INVARIANT(reference::verify(model, run.execution, ev, e),
                                "an explanation is re-derived by the evaluator");
          if (fresh) {
            out.list.push_back(std::move(c));
          } else {
            auto key = [](const Candidate& k) { return std::make_pair(k.why.size(), k.why[0].base_edges); };
            if (key(c) < key(out.list[it->second])) out.list[it->second] = std::move(c);
          }
        }
        out.complete = out.seen < options.search_limit && !job.out_of_time();
        return out.complete;
      });
  if (job.out_of_time()) out.complete = false;
  // Where an operation meets a state of its mbarrier that is not allowed, values come out of nothing: told last.
  const auto key = [](const Candidate& c) {
    const auto& events = c.run.execution.events;
    const bool undefined =
        std::any_of(events.begin(), events.end(), [](const reference::Event& e) { return e.tags.has(vocab::Tag::UB); });
    return std::make_tuple(undefined, c.why[0].base_edges, c.why.size());
  };
  std::stable_sort(out.list.begin(), out.list.end(),
                   [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  for (const auto& [axiom, count] : by_axiom) out.by_axiom.push_back({model.axioms[axiom].name, count});
  std::stable_sort(out.by_axiom.begin(), out.by_axiom.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

std::string what_is_asked(const prog::Test& test) {
  return test.quantifier == Quantifier::forall ? "violates the condition" : "meets the condition";
}

Report explain_forbidden(const std::string& path, const prog::Test& test, const cat::Model& model,
                         const check::Result& result, const Candidates& candidates, const ExplainOptions& options) {
  Report report;
  std::string& out = report.text;
  out = head_text(path, test, model, false);
  out += fmt::format("No execution that {} accepts {}.\n", model_name(model), what_is_asked(test));
  if (result.verdict.vacuous)
    out += "Beware: the program has no complete execution at all under this model, so the answer says nothing.\n";
  if (candidates.list.empty()) {
    out += candidates.complete ? "No choice of who reads from whom gives these values in the first place: the program "
                                 "alone rules them out.\n"
                               : "No candidate was found before the search ended.\n";
    report.json = explain_json(path, test, model, result, &candidates, nullptr);
    return report;
  }
  size_t told = std::min<size_t>(candidates.list.size(), options.max_candidates);
  if (candidates.list.size() == 1)
    out += fmt::format("One choice of who reads from whom{} gives these values, and the model rejects it:\n",
                       candidates.complete ? "" : " among those looked at");
  else
    out += fmt::format(
        "{}{} choices of who reads from whom give these values, and the model rejects each of them{}:\n",
        candidates.complete ? "" : "At least ", candidates.list.size(),
        told < candidates.list.size() ? fmt::format(" (the {} with the shortest explanations are shown)", told) : "");
  for (size_t k = 0; k < told; ++k) {
    const Candidate& c = candidates.list[k];
    const Execution& x = c.run.execution;
    out += "\n";
    if (candidates.list.size() > 1) out += fmt::format("---- {} of {} ----\n\n", k + 1, candidates.list.size());
    out += listing_text(test, c.run, 2);
    std::string co = coherence_text(test, x, 2);
    out += "\n";
    if (!co.empty()) out += co;
    out += "  which gives\n" + condition_text(test, x, 4);
    out += "\n  rejected by " + explanation_text(test, model, x, c.why[0], 2).substr(2);
    for (size_t w = 1; w < c.why.size(); ++w)
      out += fmt::format("\n  also rejected by {}: {}\n", axiom_text(model, c.why[w].axiom), [&] {
        if (c.why[w].edges.empty()) return axiom_rule(model, c.why[w].axiom);
        Story s = tell(test, model, x, c.why[w]);
        return s.cyclic ? s.summary : pair_text(test, model, x, c.why[w]) + ": " + s.summary;
      }());
    draw::Graph g = execution_graph(test, model, c.run, &c.why[0]);
    Story s = tell(test, model, x, c.why[0]);
    g.caption =
        fmt::format("{} rejects this execution: axiom {}, {}.", model_name(model), model.axioms[c.why[0].axiom].name,
                    c.why[0].edges.empty() ? axiom_rule(model, c.why[0].axiom)
                    : s.cyclic             ? "the cycle " + s.summary
                               : fmt::format("the pair {} ({})", pair_text(test, model, x, c.why[0]), s.summary));
    report.pictures.push_back(std::move(g));
  }
  if (options.axioms_of_all && candidates.seen > 1) {
    out += fmt::format(
        "\nOver all {}{} candidates (also those that differ only in the order of writes or fences), rejected by\n",
        candidates.complete ? "" : "first ", candidates.seen);
    for (const auto& [axiom, count] : candidates.by_axiom) out += fmt::format("  {:<28} {}\n", axiom, count);
  }
  report.json = explain_json(path, test, model, result, &candidates, nullptr);
  return report;
}

// ---- allowed -----------------------------------------------------------------------------------------
Report explain_allowed(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Result& result) {
  FENCEPOST_INVARIANT(result.execution.has_value(), "an allowed outcome is explained by its execution");
  Report report;
  const Execution& x = result.execution->execution;
  std::string& out = report.text;
  out = head_text(path, test, model, false);
  out += fmt::format("{} accepts an execution that {}:\n\n", model_name(model),
                     test.quantifier == Quantifier::none ? "runs to its end" : what_is_asked(test));
  out += listing_text(test, *result.execution, 2);
  if (std::string co = coherence_text(test, x, 2); !co.empty()) out += "\n" + co;
  if (x.complete()) {
    out += fmt::format("\n  final state  {}\n", state_text(test, x));
    std::string why = condition_text(test, x, 4);
    if (!why.empty()) out += fmt::format("  it {} because\n{}", what_is_asked(test), why);
  }
  reference::Evaluation ev = reference::evaluate(model, x);
  FENCEPOST_INVARIANT(ev.consistent(), "an execution shown as allowed is accepted by the evaluator");
  std::string axioms;
  for (const cat::Axiom& a : model.axioms)
    if (!a.flag) axioms += (axioms.empty() ? "" : ", ") + a.name;
  out += fmt::format("\n  every axiom of the model holds of it: {}\n", axioms);
  out += withheld_text(test, model, x, 2);
  out += missing_order(test, model, x, ev);
  if (!ev.raised.empty()) {
    out += "  It raises a flag:";
    for (uint32_t a : ev.raised) out += " " + model.axioms[a].name;
    out += " (see `--property races`)\n";
  }
  draw::Graph g = execution_graph(test, model, *result.execution);
  g.caption = fmt::format("{} accepts this execution; it {}.", model_name(model),
                          test.quantifier == Quantifier::none ? "runs to its end" : what_is_asked(test));
  report.pictures.push_back(std::move(g));
  report.json = explain_json(path, test, model, result, nullptr, nullptr);
  return report;
}

namespace {

Explained explain_verdict(const std::string& path, const prog::Test& test, const cat::Model& model,
                          const check::Options& check_options, const ExplainOptions& options, Job& job);

}  // namespace

Explained explain(const std::string& path, const prog::Test& test, const cat::Model& model,
                  const check::Options& check_options, const ExplainOptions& options, Job& job) {
  Explained out = explain_verdict(path, test, model, check_options, options, job);
  out.report.automaton = automaton(path, test, model, check_options, out.result);
  check::Beside beside = check::beside(test, model, check_options, out.result, job);
  // The execution that is shown raises a flag, and its listing says so.
  if (beside.races == check::Beside::Said::yes && out.result.execution && !out.result.flags.empty()) {
    if (beside.undefined) out.report.text += "Beware: with that the program is undefined.\n";
    beside.races = check::Beside::Said::none;
  }
  for (const std::string& note : check::notes(beside)) out.report.text += "Beware: " + note + ".\n";
  const std::string taken = assumptions_text(test);
  if (!taken.empty() && !out.report.text.contains("  assumes: ")) out.report.text += "Assumes: " + taken + ".\n";
  return out;
}

namespace {

// ---- the verb ----------------------------------------------------------------------------------------
Explained explain_verdict(const std::string& path, const prog::Test& test, const cat::Model& model,
                          const check::Options& check_options, const ExplainOptions& options, Job& job) {
  Explained out;
  out.result = check::check(test, model, check_options, job);
  const check::Result& r = out.result;
  bool races = check_options.property == check::Property::races;
  if (check_options.property == check::Property::termination) {
    if (r.lasso)
      out.report = explain_lasso(path, test, model, check_options, r);
    else
      out.report.text = check_line(path, test, model, check_options, r) + "\n";
    out.report.json = check_json(path, test, model, check_options, r);
    return out;
  }
  if (r.execution) {
    out.report = races ? explain_race(path, test, model, r) : explain_allowed(path, test, model, r);
    return out;
  }
  bool decided = r.verdict.status == Status::holds || r.verdict.status == Status::fails;
  if (decided && !races && test.quantifier != Quantifier::none) {
    Candidates candidates = rejected_candidates(test, model, check_options, options, job);
    out.report = explain_forbidden(path, test, model, r, candidates, options);
    return out;
  }
  out.report.text = head_text(path, test, model, races);
  out.report.text += races && decided ? "No consistent execution raises a flag of the model: there is no data race.\n"
                                      : check_line(path, test, model, check_options, r) + "\n";
  out.report.json = explain_json(path, test, model, r, nullptr, nullptr);
  return out;
}

}  // namespace
}  // namespace fencepost::report
