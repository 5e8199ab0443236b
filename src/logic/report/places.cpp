// Where in the program's text an answer is to be shown: the question, the two accesses of a race, or what is repeated.
#include "report/places.h"

#include "prog/test.h"
#include "report/naming.h"
#include "report/report.h"

namespace fencepost::report {

using reference::Execution;

namespace {

Span span_of(const prog::Test& test, const Execution& x, uint32_t event) {
  if (x.events[event].span.source) return x.events[event].span;
  const prog::Instr* in = instruction_of(test, x, event);
  return in != nullptr ? in->span : Span{};
}

Access access_at(const prog::Test& test, const Execution& x, uint32_t event) {
  Access a{event, x.events[event].key.thread, event_name(test, x, event), event_body(test, x, event), {}, ""};
  a.span = span_of(test, x, event);
  a.instruction = instruction_text(test, x, event);
  return a;
}

// Where the program begins: its head, or the first instruction that is in a text.
Span begin_of(const prog::Test& test) {
  if (test.span.source) return test.span;
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    for (const prog::Instr& in : test.instrs(t))
      if (in.span.source) return in.span;
  return {};
}

// The first event that a thread repeats for ever.
Span repeated(const prog::Test& test, const check::Result& result) {
  const Execution& x = result.execution->execution;
  for (uint32_t t = 0; t < result.lasso->threads.size(); ++t) {
    if (result.lasso->threads[t].fate != reference::Fate::running) continue;
    for (uint32_t e = 0; e < x.events.size(); ++e)
      if (x.events[e].key.thread == t && e < result.round.size() && result.round[e] >= 0)
        if (const Span s = span_of(test, x, e); s.source) return s;
  }
  return {};
}

}  // namespace

std::vector<Access> racing(const prog::Test& test, const cat::Model& model, const check::Result& result) {
  if (!result.execution) return {};
  const Execution& x = result.execution->execution;
  const reference::Evaluation ev = reference::evaluate(model, x);
  for (const reference::Explanation& e : reference::explain(model, x, ev, true)) {
    if (e.edges.empty() || e.cycle.size() == 1 || e.edges[0].from == e.edges[0].to) continue;
    if (model.nodes[e.edges[0].node].type != cat::Type::rel) continue;
    std::vector<Access> out;
    for (const uint32_t v : {e.edges[0].from, e.edges[0].to})
      if (x.events[v].key.thread != reference::k_init) out.push_back(access_at(test, x, v));
    if (!out.empty()) return out;
  }
  return {};
}

Span place_of_answer(const prog::Test& test, check::Property property, const check::Result& result,
                     const std::vector<Access>& race) {
  if (property == check::Property::races && !race.empty() && race[0].span.source) return race[0].span;
  if (property == check::Property::termination && result.lasso && result.execution)
    if (const Span s = repeated(test, result); s.source) return s;
  const Span& asked = test.condition.span;
  const bool in_file = asked.source && !asked.source->name.starts_with("--");
  if (property == check::Property::condition && in_file) return asked;
  const Span begin = begin_of(test);
  return begin.source || !in_file ? begin : asked;
}

}  // namespace fencepost::report
