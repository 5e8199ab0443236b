// The sentences of a model's document that decide an answer: of a rejected execution those that its explanation rests
// on, of an accepted one those that keep back an order which a reader might expect. The models say which sentence a
// definition stands for (cat::clauses_of), and which orders are kept back (cat::withheld_of).
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cat/library.h"
#include "prog/mbarrier.h"
#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/naming.h"
#include "report/report.h"
#include "report/story.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using reference::Reason;
using vocab::Base;
using vocab::Tag;

namespace {

// 9.7.15.16.8: "a phase whose pending count and tx-count are zero is complete".
constexpr const char* k_phase_section = "9.7.15.16.8";

class Clauses {
 public:
  Clauses(const prog::Test& test, const cat::Model& model, const Execution& x) : test_(test), model_(model), x_(x) {
    for (const cat::Clause& c : cat::clauses_of(model.path)) by_name_[c.name] = c;
  }
  bool empty() const { return by_name_.empty(); }

  void axiom(uint32_t index) {
    const auto it = by_name_.find(model_.axioms[index].name);
    if (it != by_name_.end()) lines_.push_back({it->second.section, {}, it->second.text, ""});
  }
  void reason(const Reason& r) {
    if (r.absent) return;
    const std::string& full = model_.nodes[r.node].name;
    const auto it = by_name_.find(full.substr(0, full.find('(')));
    for (const uint32_t e : {r.from, r.to}) events_.insert(e);
    if (it != by_name_.end() && told_.insert({it->first, r.from, r.to}).second)
      lines_.push_back(
          {it->second.section, r.from == r.to ? std::vector{r.from} : std::vector{r.from, r.to}, it->second.text, ""});
    for (const Reason& k : r.because) reason(k);
  }
  // Waits of mbarriers among the events met, or all of them.
  void phases(bool all) {
    for (uint32_t e = 0; e < x_.events.size(); ++e)
      if (is_wait(e) && (all || events_.contains(e))) lines_.push_back({k_phase_section, {e}, phase(e), ""});
  }
  std::vector<Cited> lines() && { return std::move(lines_); }

 private:
  bool is_wait(uint32_t e) const {
    const prog::Instr* in = instruction_of(test_, x_, e);
    return in != nullptr && x_.events[e].tags.has(Tag::MBAR) && x_.events[e].tags.has(Tag::R) &&
           in->mnemonic.find("_wait") != std::string::npos;
  }
  bool is_successful(uint32_t e) const {
    const prog::Instr* in = instruction_of(test_, x_, e);
    for (uint32_t d = 0; d < x_.events.size(); ++d) {
      const prog::Instr* other = instruction_of(test_, x_, d);
      if (other != nullptr && x_.events[d].key.thread == x_.events[e].key.thread &&
          x_.events[d].key.occurrence == x_.events[e].key.occurrence && other->operation == in->operation &&
          x_.events[d].tags.has(Tag::DONE))
        return true;
    }
    return false;
  }
  static uint64_t phase_of(uint64_t state) { return state >> 61; }

  // The write that ended the phase before the one that `read` sees; k_none: no phase has ended.
  uint32_t completer(uint32_t read) const {
    const Relation &rf = x_.rel(Base::rf), &co = x_.rel(Base::co);
    uint32_t at = prog::k_none;
    for (uint32_t w = 0; w < x_.events.size(); ++w)
      if (rf.test(w, read)) at = w;
    while (at != prog::k_none) {
      uint32_t before = prog::k_none;
      for (uint32_t w = 0; w < x_.events.size(); ++w)
        if (co.test(w, at) && (before == prog::k_none || co.test(before, w))) before = w;
      if (before == prog::k_none) return before;
      if (phase_of(x_.events[before].value) != phase_of(x_.events[at].value)) return at;
      at = before;
    }
    return at;
  }
  std::string phase(uint32_t read) const {
    const std::string place = location_of(test_, x_, read);
    const std::string sees = prog::mbarrier_text(x_.events[read].value);
    if (!is_successful(read))
      return fmt::format("the phase of {} that it waits for is not complete: it sees {}", place, sees);
    const uint32_t by = completer(read);
    if (by == prog::k_none)
      return fmt::format("it waits for the phase before the first of {}, which counts as complete: it sees {}", place,
                         sees);
    return fmt::format("the phase of {} that it waits for is complete: {} left no arrival and no transaction pending",
                       place, event_name(test_, x_, by));
  }

  const prog::Test& test_;
  const cat::Model& model_;
  const Execution& x_;
  std::map<std::string, cat::Clause> by_name_;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> told_;
  std::set<uint32_t> events_;
  std::vector<Cited> lines_;
};

// A line for each, in columns.
std::string table(const prog::Test& test, const Execution& x, const std::vector<Cited>& lines, size_t indent) {
  const auto walk = [&](const Cited& c) {
    std::string w;
    for (const uint32_t e : c.events) w += (w.empty() ? "" : " -> ") + event_name(test, x, e);
    return w;
  };
  size_t sections = 0, walks = 0;
  for (const Cited& c : lines) sections = std::max(sections, c.section.size()), walks = std::max(walks, walk(c).size());
  std::string out;
  for (const Cited& c : lines)
    out += fmt::format("{:{}}{:<{}}  {:<{}}  {}\n", "", indent, c.section, sections, walk(c), walks, c.says);
  return out;
}

}  // namespace

std::vector<Cited> cited(const prog::Test& test, const cat::Model& model, const Execution& x,
                         const reference::Explanation& e) {
  Clauses c(test, model, x);
  if (c.empty()) return {};
  c.axiom(e.axiom);
  for (const Reason& r : e.edges) c.reason(r);
  c.phases(false);
  return std::move(c).lines();
}

Withheld withheld(const prog::Test& test, const cat::Model& model, const Execution& x) {
  const std::vector<cat::Withheld> kept = cat::withheld_of(model.path);
  if (kept.empty()) return {};
  const auto asked = cat::with_withheld_flags(model);
  FENCEPOST_INVARIANT(asked.has_value(), "the orders that a model's file says are withheld are expressions of cat");
  const reference::Evaluation ev = reference::evaluate(*asked, x);
  Withheld out;
  std::set<std::vector<uint32_t>> told;
  for (size_t k = 0; k < kept.size(); ++k)
    for (const reference::Explanation& e : reference::explain(*asked, x, ev, true)) {
      if (asked->axioms[e.axiom].name != cat::withheld_flag(k)) continue;
      FENCEPOST_INVARIANT(reference::verify(*asked, x, ev, e), "an explanation is re-derived by the evaluator");
      std::vector<uint32_t> events = e.cycle;
      std::sort(events.begin(), events.end());
      if (!told.insert(events).second) continue;
      out.orders.push_back({kept[k].section, e.cycle, kept[k].text, tell(test, *asked, x, e).summary});
    }
  Clauses phases(test, model, x);
  phases.phases(true);
  out.phases = std::move(phases).lines();
  return out;
}

std::string clauses_text(const prog::Test& test, const cat::Model& model, const Execution& x,
                         const reference::Explanation& e, size_t indent) {
  const std::vector<Cited> lines = cited(test, model, x, e);
  if (lines.empty()) return "";
  return fmt::format("\n{:{}}by these sections of its document:\n{}", "", indent, table(test, x, lines, indent + 4));
}

std::string withheld_text(const prog::Test& test, const cat::Model& model, const Execution& x, size_t indent) {
  const Withheld kept = withheld(test, model, x);
  std::string out;
  for (const Cited& c : kept.orders)
    out += fmt::format("{:{}}{}  {}\n{:{}}{}  {}\n", "", indent + 4, c.section, c.order, "", indent + 4,
                       std::string(c.section.size(), ' '), c.says);
  if (!out.empty()) out.insert(0, fmt::format("{:{}}these sections of its document give no order:\n", "", indent));
  if (!kept.phases.empty())
    out += fmt::format("{:{}}the phases that its waits see:\n{}", "", indent, table(test, x, kept.phases, indent + 4));
  return out;
}

}  // namespace fencepost::report
