// Races: the conflicting pair of a raised flag, and what is missing. Also why an allowed execution is not rejected.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "report/explain_parts.h"
#include "report/listing.h"
#include "report/naming.h"
#include "report/report.h"
#include "report/story.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using reference::Remedy;
using vocab::Tag;

namespace {

std::string tag_words(Tag t) {
  for (const vocab::TagInfo& info : vocab::tags())
    if (info.tag == t) return fmt::format("{} ({})", info.name, info.meaning);
  return vocab::name(t);
}

// One line per event that lacks something.
std::string remedy_text(const prog::Test& test, const Execution& x, const Remedy& r, size_t indent) {
  std::vector<std::string> lines;
  std::map<uint32_t, std::vector<Tag>> by_event;
  for (const Remedy::Missing& m : r.tags) by_event[m.event].push_back(m.tag);
  for (const auto& [e, tags] : by_event) {
    std::string list;
    for (Tag t : tags) list += (list.empty() ? "" : ", ") + tag_words(t);
    lines.push_back(fmt::format("{} ({}) were {}", event_name(test, x, e), instruction_text(test, x, e), list));
  }
  for (const auto& [a, b] : r.scopes)
    lines.push_back(
        fmt::format("{} and {} were in each other's scope", event_name(test, x, a), event_name(test, x, b)));
  std::string out;
  for (size_t k = 0; k < lines.size(); ++k)
    out += std::string(indent, ' ') + lines[k] + (k + 1 < lines.size() ? ", and\n" : "\n");
  return out;
}

// The relations whose absence is part of the reason, as in story.cpp: a union is absent when each part is.
struct Absence {
  cat::NodeId node;
  uint32_t from, to;
};
void absences(const cat::Model& model, cat::NodeId id, uint32_t from, uint32_t to, std::vector<Absence>& out) {
  const cat::Node& m = model.nodes[id];
  if (m.name.empty() && m.op == cat::NodeOp::union_) {
    for (cat::NodeId k : m.kids) absences(model, k, from, to, out);
  } else if (m.name.empty() && m.op == cat::NodeOp::inverse) {
    absences(model, m.kids[0], to, from, out);
  } else if (m.type == cat::Type::rel && m.op != cat::NodeOp::base_rel) {
    out.push_back({id, from, to});
  }
}
void absences(const cat::Model& model, const reference::Reason& r, std::vector<Absence>& out) {
  if (r.absent) return absences(model, r.node, r.from, r.to, out);
  for (const reference::Reason& k : r.because) absences(model, k, out);
}

}  // namespace

std::string missing_order(const prog::Test& test, const cat::Model& model, const Execution& x,
                          const reference::Evaluation& ev) {
  std::optional<Remedy> r = reference::remedy_for_axioms(model, x, ev);
  if (!r || (r->tags.empty() && r->scopes.empty())) return "";
  // A long list is no hint any more.
  if (r->tags.size() + r->scopes.size() > 6) return "";
  return fmt::format("  axiom {} would reject it if\n{}", model.axioms[r->axiom].name, remedy_text(test, x, *r, 4));
}

Report explain_race(const std::string& path, const prog::Test& test, const cat::Model& model,
                    const check::Result& result) {
  FENCEPOST_INVARIANT(result.execution.has_value(), "a race is explained by its execution");
  Report report;
  const Execution& x = result.execution->execution;
  std::string& out = report.text;
  out = head_text(path, test, model, true);
  reference::Evaluation ev = reference::evaluate(model, x);
  std::vector<reference::Explanation> flags = reference::explain(model, x, ev, true);
  for (const reference::Explanation& e : flags)
    FENCEPOST_INVARIANT(reference::verify(model, x, ev, e), "an explanation is re-derived by the evaluator");
  FENCEPOST_INVARIANT(ev.consistent() && !flags.empty(), "an execution shown as racy is consistent and raises a flag");
  out += fmt::format("{} accepts an execution that raises the flag '{}':\n\n", model_name(model),
                     model.axioms[flags[0].axiom].name);
  out += listing_text(test, *result.execution, 2);
  if (std::string co = coherence_text(test, x, 2); !co.empty()) out += "\n" + co;
  for (const reference::Explanation& e : flags) {
    const cat::Axiom& axiom = model.axioms[e.axiom];
    out += fmt::format("\n  flag {} ({})\n    {}\n", axiom.name, place_of(axiom.span), axiom_rule(model, e.axiom));
    if (e.edges.empty()) continue;
    const reference::Reason& r = e.edges[0];
    bool pair = r.from != r.to && !(e.cycle.size() == 1);
    if (pair) {
      out += "\n    two accesses that conflict, and that the model does not order:\n";
      for (uint32_t v : {r.from, r.to}) {
        uint32_t t = x.events[v].key.thread;
        out += fmt::format("      {}  {}{}{}\n", event_text(test, x, v), instruction_text(test, x, v),
                           t == reference::k_init ? "" : fmt::format("  in P{}", t),
                           place_of(test, x, v).empty() ? "" : "  " + place_of(test, x, v));
      }
    }
    Story story = tell(test, model, x, e);
    out += "\n    step by step:\n" + story_text(test, model, x, story, 6);
    out += clauses_text(test, model, x, e, 4);
    std::vector<Absence> missing;
    absences(model, r, missing);
    for (const Absence& m : missing) {
      std::optional<Remedy> remedy = reference::remedy_for_edge(model, x, ev, m.node, m.from, m.to);
      if (!remedy || (remedy->tags.empty() && remedy->scopes.empty()) ||
          remedy->tags.size() + remedy->scopes.size() > 8)
        continue;
      out += fmt::format("\n    {} -{}-> {} would hold if\n{}", event_name(test, x, m.from),
                         reference::expression(model, m.node, 60), event_name(test, x, m.to),
                         remedy_text(test, x, *remedy, 6));
    }
  }
  draw::Graph g = execution_graph(test, model, *result.execution, &flags[0]);
  g.caption = fmt::format("{} accepts this execution, and it raises the flag {}.", model_name(model),
                          model.axioms[flags[0].axiom].name);
  report.pictures.push_back(std::move(g));
  report.json = explain_json(path, test, model, result, nullptr, &flags);
  return report;
}

}  // namespace fencepost::report
