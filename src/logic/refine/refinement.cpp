#include "refine/refinement.h"

#include <algorithm>
#include <set>

#include "prog/test.h"
#include "refine/outcomes_of.h"
#include "term/term.h"

namespace fencepost::refine {
namespace {

using prog::Observable;
using prog::State;

// Positions, in each program's observables, of those that both have.
struct Common {
  std::vector<size_t> source, target;
};

// What one test calls x is x[0] to a kernel that gets a pointer.
bool same_place(const std::string& a, const std::string& b) { return a == b || a == b + "[0]" || b == a + "[0]"; }

Common common_of(const std::vector<Observable>& source, const std::vector<Observable>& target,
                 const Names& names = {}) {
  Common c;
  for (size_t t = 0; t < target.size(); ++t) {
    const auto other = names.find(target[t].text);
    const std::string& text = other == names.end() ? target[t].text : other->second;
    for (size_t s = 0; s < source.size(); ++s)
      if (same_place(source[s].text, text)) {
        c.source.push_back(s);
        c.target.push_back(t);
      }
  }
  return c;
}

std::set<State> project(const std::set<State>& states, const std::vector<size_t>& at) {
  std::set<State> out;
  for (const State& s : states) {
    State p;
    for (const size_t i : at) p.push_back(s[i]);
    out.insert(std::move(p));
  }
  return out;
}

// A free value of the source stands for every value; one of the target only for itself.
bool covers(const State& source, const State& target) {
  for (size_t i = 0; i < source.size(); ++i)
    if (!source[i].free && (target[i].free || source[i].value != target[i].value)) return false;
  return true;
}

// Free values of the source that were too many to list may cover what it does not do.
bool covered_for_sure(const check::Outcomes& from, const std::set<State>& allowed, const State& s) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const State& a) {
    return covers(a, s) &&
           (!from.loose || std::none_of(a.begin(), a.end(), [](const prog::StateValue& v) { return v.free; }));
  });
}

Verdict undecided(const char* program, const check::Outcomes& o) {
  const Status status = o.status.status == Status::holds ? Status::unknown : o.status.status;
  return {status, std::string("the outcomes of the ") + program + " are not complete: " + why_incomplete(o)};
}

// All flags that some execution raises, whatever they do to the program.
std::vector<std::string> flags_of(const check::Outcomes& o) {
  std::vector<std::string> all = o.flags;
  all.insert(all.end(), o.findings.begin(), o.findings.end());
  return all;
}

Refinement everything_allowed(Refinement r, const std::string& flag) {
  r.undefined = true;
  r.verdict = {Status::holds, "the source raises '" + flag + "', so that everything is allowed"};
  return r;
}

// Nothing new was found. A target without any complete execution does nothing at all.
Verdict nothing_new(const check::Outcomes& to) {
  if (!to.states.complete) return undecided("target", to);
  if (to.states.states.empty()) return {Status::holds, "no execution of the target comes to an end", true};
  return {Status::holds, "", false};
}

}  // namespace

prog::Test asking_for(const prog::Test& test, const std::vector<Observable>& obs, const State& s) {
  prog::Test out = test;
  out.quantifier = prog::Quantifier::exists;
  prog::Cond all;
  all.kind = prog::Cond::Kind::and_;
  for (size_t i = 0; i < obs.size(); ++i) {
    if (s[i].free) continue;
    prog::Cond atom;
    atom.kind = prog::Cond::Kind::atom;
    atom.lhs.kind = obs[i].is_register ? prog::CondValue::Kind::reg : prog::CondValue::Kind::location;
    atom.lhs.thread = obs[i].thread;
    atom.lhs.reg = obs[i].reg;
    atom.lhs.symbol = obs[i].symbol;
    atom.lhs.cell = obs[i].cell;
    atom.rhs.constant = static_cast<uint64_t>(term::to_signed(s[i].value, obs[i].width));
    all.kids.push_back(std::move(atom));
  }
  if (all.kids.empty()) all = prog::Cond{};
  if (all.kids.size() == 1) all = prog::Cond(all.kids.front());
  out.condition = std::move(all);
  return out;
}

namespace {

// Values as signed 64-bit numbers, so that widths do not matter.
check::Outcomes widened(check::Outcomes o) {
  std::set<State> wide;
  for (State s : o.states.states) {
    for (size_t i = 0; i < s.size(); ++i)
      if (!s[i].free) s[i].value = static_cast<uint64_t>(term::to_signed(s[i].value, o.observables[i].width));
    wide.insert(std::move(s));
  }
  o.states.states = std::move(wide);
  return o;
}

}  // namespace

Expected<Refinement> refine(const prog::Test& source, const cat::Model& source_model, const prog::Test& target,
                            const cat::Model& target_model, const check::Options& options, Job& job,
                            const Names& names) {
  const check::Outcomes from = widened(outcomes_of(source, source_model, options, job));
  if (!from.flags.empty()) return everything_allowed({}, from.flags.front());
  const check::Outcomes to = widened(outcomes_of(target, target_model, options, job));
  const Common common = common_of(from.observables, to.observables, names);
  if (common.target.size() != from.observables.size())
    return error_at(target.span, "the target does not show all that the source shows",
                    "name the registers and locations in the condition");
  Refinement r;
  for (const size_t i : common.target) {
    r.observables.push_back(to.observables[i]);
    r.observables.back().width = 64;
  }
  const std::set<State> allowed = project(from.states.states, common.source),
                        found = project(to.states.states, common.target);
  r.source_states = allowed.size();
  r.target_states = found.size();
  for (const State& s : found)
    if (std::none_of(allowed.begin(), allowed.end(), [&](const State& a) { return covers(a, s); }))
      r.new_states.push_back(s);
  if (!from.states.complete && !r.new_states.empty()) {
    r.verdict = undecided("source", from);
    return r;
  }
  check::Options ask = options;
  ask.property = check::Property::condition;
  if (!r.new_states.empty()) {
    r.execution = check::check(asking_for(target, r.observables, r.new_states.front()), target_model, ask, job);
    FENCEPOST_INVARIANT(r.execution->verdict.status != Status::fails, "an outcome that was listed cannot be reached");
    r.verdict = {Status::fails, "a new outcome"};
    return r;
  }
  if (!to.flags.empty()) {
    // A source whose outcomes are complete raised no flag; one cut by a bound might.
    if (!from.states.complete) {
      r.verdict = undecided("source", from);
      return r;
    }
    r.new_flags = to.flags;
    r.race = true;
    ask.property = check::Property::races;
    r.execution = check::check(target, target_model, ask, job);
    r.verdict = {Status::fails, "the target raises '" + to.flags.front() + "' and the source does not"};
    return r;
  }
  r.verdict = nothing_new(to);
  if (r.verdict.status == Status::holds &&
      std::any_of(found.begin(), found.end(), [&](const State& s) { return !covered_for_sure(from, allowed, s); }))
    r.verdict = {Status::unknown, "values of the source that nothing fixes are too many to list"};
  return r;
}

Expected<Refinement> refine(const prog::Test& source, const prog::Test& target, const cat::Model& model,
                            const check::Options& options, Job& job) {
  const check::Outcomes from = outcomes_of(source, model, options, job);
  const check::Outcomes to = outcomes_of(target, model, options, job);
  const Common common = common_of(from.observables, to.observables);
  if (common.target.empty())
    return error_at(target.span, "the two programs have no observable in common",
                    "name the same registers or locations in both conditions, or in 'locations [...]'");
  Refinement r;
  for (const size_t i : common.target) r.observables.push_back(to.observables[i]);
  const std::set<State> allowed = project(from.states.states, common.source),
                        found = project(to.states.states, common.target);
  r.source_states = allowed.size();
  r.target_states = found.size();
  for (const State& s : found)
    if (std::none_of(allowed.begin(), allowed.end(), [&](const State& a) { return covers(a, s); }))
      r.new_states.push_back(s);
  const std::vector<std::string> known = flags_of(from);
  for (const std::string& f : flags_of(to))
    if (std::find(known.begin(), known.end(), f) == known.end()) r.new_flags.push_back(f);

  if (!from.flags.empty()) {
    if (!from.states.complete) r.new_states.clear(), r.new_flags.clear();
    return everything_allowed(std::move(r), from.flags.front());
  }
  // Something new is only new against everything that the source can do.
  if (!from.states.complete && (!r.new_states.empty() || !r.new_flags.empty())) {
    r.verdict = undecided("source", from);
    return r;
  }
  check::Options ask = options;
  if (!r.new_states.empty()) {
    ask.property = check::Property::condition;
    check::Result shown = check::check(asking_for(target, r.observables, r.new_states.front()), model, ask, job);
    FENCEPOST_INVARIANT(shown.verdict.status != Status::fails, "an outcome that was listed cannot be reached");
    r.execution = std::move(shown);
    r.verdict = {Status::fails, "the target has " + std::to_string(r.new_states.size()) + " new outcome" +
                                    (r.new_states.size() == 1 ? "" : "s")};
    return r;
  }
  if (!r.new_flags.empty()) {
    ask.property = check::Property::races;
    r.race = true;
    r.execution = check::check(target, model, ask, job);
    r.verdict = {Status::fails, "the target raises '" + r.new_flags.front() + "' and the source does not"};
    return r;
  }
  r.verdict = nothing_new(to);
  if (r.verdict.status == Status::holds &&
      std::any_of(found.begin(), found.end(), [&](const State& s) { return !covered_for_sure(from, allowed, s); }))
    r.verdict = {Status::unknown, "values of the source that nothing fixes are too many to list"};
  return r;
}

}  // namespace fencepost::refine
