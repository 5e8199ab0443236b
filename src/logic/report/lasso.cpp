// An execution that does not end: what happens before the loops, what the loops do in every round, and why nobody is
// owed a step that would end it.
#include <fmt/core.h>

#include <algorithm>

#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/naming.h"
#include "report/report.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using reference::Fate;
using vocab::Base;

namespace {

class LassoTeller {
 public:
  LassoTeller(const prog::Test& test, const check::Options& options, const check::Result& result)
      : test_(test),
        options_(options),
        lasso_(*result.lasso),
        run_(*result.execution),
        x_(run_.execution),
        round_(result.round) {}

  std::string threads() const {
    std::string out;
    for (uint32_t t = 0; t < lasso_.threads.size(); ++t) {
      std::string what;
      switch (lasso_.threads[t].fate) {
        case Fate::ended:
          what = "ends";
          break;
        case Fate::blocked:
          what = "is " + stop_text(test_, t, run_.threads[t]) + " for ever";
          break;
        case Fate::halted:
          what = lasso_.threads[t].prefix == 0 ? "is never started" : "is " + stop_text(test_, t, run_.threads[t]);
          break;
        case Fate::running:
          what = "goes on for ever" + lines(t);
          break;
      }
      out += fmt::format("  P{}  {}\n", t, what);
    }
    return out;
  }

  // The events of the prefix, or of one round of the loops (the last shown).
  std::string events(bool loop) const {
    std::string out;
    for (uint32_t e = 0; e < x_.events.size(); ++e) {
      const auto& key = x_.events[e].key;
      if (key.thread == reference::k_init || (loop ? !in_last_round(e) : in_last_round(e))) continue;
      std::string line = fmt::format("  P{}  {}", key.thread, event_text(test_, x_, e));
      if (const auto w = source(e)) line += fmt::format("  from {}", event_name(test_, x_, *w));
      out += fmt::format("{:<44}  {}\n", line, instruction_text(test_, x_, e));
    }
    return out;
  }

  std::string reasons() const {
    std::string out;
    for (uint32_t e = 0; e < x_.events.size(); ++e)
      if (in_last_round(e))
        if (const auto w = source(e)) out += "  " + reading(e, *w) + "\n";
    for (uint32_t t = 0; t < lasso_.threads.size(); ++t) {
      if (lasso_.threads[t].fate == Fate::running && !reads_in_loop(t))
        out += fmt::format("  P{}: no read in its loop could let it out.\n", t);
      if (lasso_.threads[t].fate == Fate::halted)
        out += fmt::format("  P{}: {} does not promise that it runs.\n", t, options_.progress.name);
    }
    return out;
  }

  draw::Graph picture(const cat::Model& model) const {
    draw::Graph g = execution_graph(test_, model, run_);
    // Initial writes come first, and perhaps not all; the other events follow in order.
    uint32_t threads_events = 0;
    for (const auto& e : x_.events) threads_events += e.key.thread == reference::k_init ? 0 : 1;
    const uint32_t first = static_cast<uint32_t>(g.nodes.size()) - threads_events;
    std::vector<uint32_t> node(x_.events.size(), prog::k_none);
    uint32_t next = first;
    for (uint32_t e = 0; e < x_.events.size(); ++e)
      if (x_.events[e].key.thread != reference::k_init) node[e] = next++;
    for (uint32_t t = 0; t < lasso_.threads.size(); ++t) {
      std::vector<uint32_t> loop;
      for (uint32_t e = 0; e < x_.events.size(); ++e)
        if (x_.events[e].key.thread == t && in_last_round(e)) loop.push_back(e);
      for (uint32_t e : loop) g.nodes[node[e]].emphasis = true;
      if (loop.size() > 1) g.edges.push_back({node[loop.back()], node[loop.front()], "again", "step", true});
      g.columns[t].title += ": " + column_note(t);
    }
    g.caption =
        fmt::format("{} allows this execution, and {} keeps its promise. Emphasised events happen again and again.",
                    model_name(model), options_.progress.name);
    return g;
  }

 private:
  std::string column_note(uint32_t t) const {
    switch (lasso_.threads[t].fate) {
      case Fate::ended:
        return "ends";
      case Fate::blocked:
        return "blocked for ever";
      case Fate::halted:
        return lasso_.threads[t].prefix == 0 ? "never started" : "left behind";
      case Fate::running:
        return "goes on for ever";
    }
    return "";
  }

  bool in_last_round(uint32_t e) const {
    const auto& key = x_.events[e].key;
    if (key.thread == reference::k_init || round_[e] < 0) return false;
    int32_t last = 0;
    for (uint32_t f = 0; f < x_.events.size(); ++f)
      if (x_.events[f].key.thread == key.thread) last = std::max(last, round_[f]);
    return round_[e] == last;
  }

  std::optional<uint32_t> source(uint32_t r) const {
    for (uint32_t w = 0; w < x_.events.size(); ++w)
      if (x_.rel(Base::rf).test(w, r)) return w;
    return std::nullopt;
  }

  bool reads_in_loop(uint32_t t) const {
    for (uint32_t e = 0; e < x_.events.size(); ++e)
      if (x_.events[e].key.thread == t && in_last_round(e) && source(e)) return true;
    return false;
  }

  // The lines that the loop covers.
  std::string lines(uint32_t t) const {
    uint32_t from = ~0u, to = 0;
    for (uint64_t i = lasso_.threads[t].prefix; i < lasso_.threads[t].prefix + lasso_.threads[t].cycle; ++i) {
      const auto& trace = run_.threads[t].trace;
      if (i >= trace.size() || trace[i].position >= test_.instrs(t).size()) continue;
      const Span& span = test_.instrs(t)[trace[i].position].span;
      if (!span.source) continue;
      from = std::min(from, span.position().line);
      to = std::max(to, span.position().line);
    }
    if (to == 0) return "";
    return from == to ? fmt::format(", in line {}", from) : fmt::format(", in lines {} to {}", from, to);
  }

  std::string reading(uint32_t r, uint32_t w) const {
    const std::string start = fmt::format("P{}: {} ", x_.events[r].key.thread, event_name(test_, x_, r));
    const std::string what = event_name(test_, x_, w);
    if (round_[w] >= 0)
      return start + fmt::format("reads {}, which P{} writes anew in every round.", what, x_.events[w].key.thread);
    std::string missed;
    for (uint32_t v = 0; v < x_.events.size(); ++v)
      if (x_.rel(Base::co).test(w, v)) missed += (missed.empty() ? "" : ", ") + event_name(test_, x_, v);
    if (!missed.empty())
      return start + fmt::format("reads {} for ever; {} comes later in co, but out of its scope.", what, missed);
    const std::string place = location_of(test_, x_, r);
    bool alone = true;
    for (uint32_t v = 0; v < x_.events.size(); ++v)
      if (v != w && x_.events[v].tags.has(vocab::Tag::W) && x_.events[v].address == x_.events[w].address &&
          !x_.rel(Base::co).test(v, w))
        alone = false;
    return start + (alone ? fmt::format("reads {} for ever; no write of {} comes later in co.", what, place)
                          : fmt::format("reads {} for ever; co orders no write of {} after it.", what, place));
  }

  const prog::Test& test_;
  const check::Options& options_;
  const reference::Lasso& lasso_;
  const reference::RunResult& run_;
  const Execution& x_;
  const std::vector<int32_t>& round_;
};

}  // namespace

Report explain_lasso(const std::string& path, const prog::Test& test, const cat::Model& model,
                     const check::Options& options, const check::Result& result) {
  Report report;
  const LassoTeller teller(test, options, result);
  std::string title = test.title.empty() ? base_name(path) : test.title;
  report.text = fmt::format(
      "{}\n  file      {}\n  model     {}\n  question  does every execution end, when the scheduler is {}{}?\n\n",
      title, path, model_name(model), options.progress.name,
      options.fairness == reference::Fairness::scoped ? " and memory is fair within scopes" : "");
  report.text += "No: this execution does not end.\n" + teller.threads();
  const std::string before = teller.events(false);
  report.text += "\nbefore\n" + (before.empty() ? "  nothing\n" : before);
  const std::string again = teller.events(true);
  if (!again.empty()) report.text += "\nagain and again\n" + again;
  const std::string why = teller.reasons();
  if (!why.empty()) report.text += "\nwhy it may go on\n" + why;
  report.pictures.push_back(teller.picture(model));
  return report;
}

}  // namespace fencepost::report
