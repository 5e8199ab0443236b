#include "check/beside.h"

#include <algorithm>

#include "cat/lanes.h"
#include "cat/thin_air.h"
#include "check/machine.h"
#include "check/processor_time.h"
#include "check/races.h"
#include "check/raise.h"
#include "check/solve_queries.h"
#include "prog/lanes.h"

namespace fencepost::check {
namespace {

using Said = Beside::Said;

bool has_tag(const prog::Test& test, vocab::Tag tag) {
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.tags.has(tag) || i.store_tags.has(tag)) return true;
  return false;
}

bool has_barriers(const prog::Test& test) {
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.kind == prog::Kind::barrier && !i.barrier.arrive) return true;
  return false;
}

// Whether memory may decide which barrier a thread comes to next, or that it comes to none: a branch whose two sides
// come to different ones. Where it does not, all that is left are barriers that threads have unequally often, by their
// code.
bool may_part_at_barriers(const prog::Test& test) {
  using prog::Kind;
  for (const prog::Template& t : test.templates) {
    const size_t n = t.code.size();
    std::vector<std::set<size_t>> first(n + 1);  // barriers that come first from here on; n: the end
    first[n] = {n};
    const auto next = [&](size_t k) -> std::vector<size_t> {
      const prog::Instr& i = t.code[k];
      if (i.kind == Kind::jump) return {t.labels[i.label].at};
      if (i.kind == Kind::branch) return {k + 1, t.labels[i.label].at};
      return {k + 1};
    };
    for (bool more = true; std::exchange(more, false);)
      for (size_t k = n; k-- > 0;) {
        const size_t before = first[k].size();
        const prog::Instr& i = t.code[k];
        if (i.kind == Kind::barrier && i.predicate == prog::k_none)
          first[k] = {k};
        else
          for (const size_t to : next(k)) first[k].insert(first[to].begin(), first[to].end());
        if (i.kind == Kind::barrier) first[k].insert(k);
        more = more || first[k].size() != before;
      }
    for (size_t k = 0; k < n; ++k)
      if (first[k].size() > 1) return true;
  }
  return false;
}

// Flags on the tag of undefined behaviour alone cannot be raised by a program that does not carry it.
bool may_flag(const prog::Test& test, const cat::Model& model) {
  const bool undefined = has_tag(test, vocab::Tag::UB);
  return std::any_of(model.axioms.begin(), model.axioms.end(), [&](const cat::Axiom& a) {
    const cat::Node& n = model.nodes[a.node];
    const auto says_undefined = [&](const cat::Node& k) {
      return k.op == cat::NodeOp::base_set && k.tag == vocab::Tag::UB;
    };
    const bool of_tag = says_undefined(n) || (n.op == cat::NodeOp::ident && says_undefined(model.nodes[n.kids[0]]));
    return a.flag && (undefined || !of_tag);
  });
}

bool any_undefines(const cat::Model& model, const std::vector<std::string>& flags) {
  return std::any_of(model.axioms.begin(), model.axioms.end(), [&](const cat::Axiom& a) {
    return undefines(model, a) && std::find(flags.begin(), flags.end(), a.name) != flags.end();
  });
}

// What the verdict took the solving engine, and at least k_least_seconds, of processor time.
double limit_of(const Result& result) {
  const Phases& p = result.stats.phases;
  return std::max(k_least_seconds, p.program + p.settle + p.model + p.search + p.replay);
}

// What follows a loop depends on what ends it: whoever waits for a value does nothing until it is there. In C a control
// dependency ends with its statement; here one that leaves a loop reaches to the end of the thread. Models without an
// axiom against values out of thin air do not look at dependencies, so that nothing else changes.
prog::Test with_ends_of_loops(const prog::Test& test) {
  prog::Test out = test;
  for (prog::Template& t : out.templates) {
    const auto goes = [&](const prog::Instr& i) {
      return (i.kind == prog::Kind::jump || i.kind == prog::Kind::branch) && i.label < t.labels.size();
    };
    for (uint32_t back = 0; back < t.code.size(); ++back) {
      if (!goes(t.code[back]) || t.labels[t.code[back].label].at > back) continue;
      for (uint32_t k = t.labels[t.code[back].label].at; k <= back; ++k) {
        prog::Instr& i = t.code[k];
        if (i.kind != prog::Kind::branch || i.reach != prog::CtrlReach::to_label || i.ctrl_end >= t.labels.size() ||
            t.labels[i.ctrl_end].at <= back)
          continue;
        i.reach = prog::CtrlReach::rest_of_thread;
        i.ctrl_end = prog::k_none;
      }
    }
  }
  return out;
}

bool depends_on_itself(const reference::Execution& x) {
  Relation round = x.rel(vocab::Base::rf);
  for (const vocab::Base b : {vocab::Base::addr, vocab::Base::data, vocab::Base::ctrl}) round |= x.rel(b);
  return !round.acyclic();
}

// An execution that something is said of, and how it was chosen, where that is known.
struct Shown {
  const std::optional<reference::RunResult>& run;
  const std::optional<reference::Choices>& choices;
  const prog::LoopBounds& bound;
};

// Whether what is said of it is so out of thin air alone. `other`: whether there is an execution without, asked of the
// test with_ends_of_loops and the model that forbids values out of thin air; nothing where that is not known.
Said thin_air(const Shown& shown, const prog::Test& test, const cat::Model& model, const Job& job, double limit,
              const std::function<std::optional<bool>(const prog::Test&, const cat::Model&, Job&)>& other) {
  if (!shown.run) return Said::none;
  if (cat::forbids_thin_air(model)) return Said::no;
  const prog::Test depending = with_ends_of_loops(test);
  bool round = depends_on_itself(shown.run->execution);
  if (!round && shown.choices)
    if (const auto again = reference::run(depending, *shown.choices, {shown.bound}))
      round = depends_on_itself(again->execution);
  if (!round) return Said::no;
  const cat::Model grounded = cat::without_thin_air(model);
  std::optional<bool> is_there;
  const bool in_time = within_processor_time(job, limit, [&](Job& part) {
    is_there = other(depending, grounded, part);
    return is_there.has_value();
  });
  return !in_time ? Said::unknown : *is_there ? Said::no : Said::yes;
}

std::optional<bool> rests_on_another(const Result& r) {
  if (r.execution) return true;
  const Status s = r.verdict.status;
  return s == Status::holds || s == Status::fails ? std::optional(false) : std::nullopt;
}

// Whether some state of the list is this one, or stands for it: a value that nothing fixes stands for all.
bool covers(const Outcomes& list, const prog::State& state) {
  return list.states.states.contains(state) || std::ranges::any_of(list.states.states, [&](const prog::State& other) {
           return std::ranges::equal(other, state, [](const prog::StateValue& a, const prog::StateValue& b) {
             return a.free || (!b.free && a.value == b.value);
           });
         });
}

std::string blocked_at(const prog::Test& test, const reference::RunResult& run) {
  for (uint32_t t = 0; t < run.threads.size(); ++t) {
    if (run.threads[t].stop != reference::StopReason::blocked) continue;
    const Span& span = test.instrs(t)[run.threads[t].stop_instr].span;
    return "P" + std::to_string(t) + (span.source ? " at line " + std::to_string(span.position().line) : "");
  }
  return "";
}

}  // namespace

const char* name(Said s) {
  switch (s) {
    case Said::none:
      return "none";
    case Said::no:
      return "no";
    case Said::yes:
      return "yes";
    case Said::unknown:
      return "unknown";
  }
  return "none";
}

Beside beside(const prog::Test& test, const cat::Model& model, const Options& options, const Result& result,
              const Job& job) {
  if (is_machine(model)) return {};
  if (prog::has_lanes(test) && !cat::knows_lanes(model))
    return beside(test, cat::with_lanes(model), options, result, job);
  if (const auto other = as_read(test, model)) return beside(*other, model, options, result, job);
  Beside out;
  const Status s = result.verdict.status;
  if (s == Status::unsupported) return out;
  Options again = options;
  again.bound = result.bound;
  again.auto_bound = false;
  again.reduce = options.reduce || options.auto_bound;
  again.companion = false;
  const double limit = limit_of(result);
  out.thin_air = thin_air({result.execution, result.choices, result.bound}, test, model, job, limit,
                          [&](const prog::Test& depending, const cat::Model& grounded, Job& part) {
                            return rests_on_another(check(depending, grounded, again, part));
                          });
  const bool no_race = options.property == Property::races && s == Status::holds;
  if (options.property != Property::condition && !no_race) return out;
  if (!no_race && may_flag(test, model)) {
    Options races = again;
    races.property = Property::races;
    // A bound that is given is come to from below here too.
    const bool from_below = races.engine == Engine::automatic && !races.reduce;
    Result r;
    const auto ask = [&](const prog::Test& t, const cat::Model& m, Job& part) {
      return from_below ? check_from_below(t, m, races, part) : solve(t, m, races, part);
    };
    const bool in_time = within_processor_time(job, limit, [&](Job& part) {
      r = ask(test, model, part);
      return r.verdict.status == Status::fails || r.verdict.status == Status::holds;
    });
    if (!in_time) r.flags.clear();
    out.races = !in_time ? Said::unknown : r.verdict.status == Status::fails ? Said::yes : Said::no;
    out.flags = r.flags;
    out.undefined = any_undefines(model, r.flags);
    if (out.races == Said::yes && !out.undefined && has_tag(test, vocab::Tag::UB)) {
      // A race that leaves the program defined is not to hide that another execution does not.
      cat::Model undefining = model;
      std::erase_if(undefining.axioms, [&](const cat::Axiom& a) { return a.flag && !undefines(model, a); });
      Result u;
      const bool known = within_processor_time(job, limit, [&](Job& part) {
        u = ask(test, undefining, part);
        return u.verdict.status == Status::fails || u.verdict.status == Status::holds;
      });
      if (!known) out.flags.push_back("perhaps undefined-behavior");
      if (known && u.verdict.status == Status::fails) {
        out.flags.insert(out.flags.begin(), u.flags.begin(), u.flags.end());
        out.undefined = true;
      }
    }
    if (out.races == Said::yes)
      out.races_thin_air = thin_air({r.execution, r.choices, r.bound}, test, model, job, limit,
                                    [&](const prog::Test& depending, const cat::Model& grounded, Job& part) {
                                      return rests_on_another(ask(depending, grounded, part));
                                    });
  }
  if (has_barriers(test) && (!no_race || may_part_at_barriers(test))) {
    Options waits = options;
    waits.bound = result.bound;
    std::optional<reference::RunResult> waiting;
    std::optional<reference::Choices> choices;
    const auto is_there = [&](const prog::Test& t, const cat::Model& m, Job& part) -> std::optional<bool> {
      solving::Queries q(t, m, waits, part);
      if (!q.prepare()) return {};
      Statistics unused;
      solving::Found found = q.ask(solving::Goal::blocked, false, unused);
      if (found.answer == solving::Answer::sat) {
        waiting = std::move(found.run);
        choices = std::move(found.choices);
        return true;
      }
      return found.answer == solving::Answer::unsat && !q.may_be_cut() ? std::optional(false) : std::nullopt;
    };
    std::optional<bool> said;
    const bool in_time = within_processor_time(job, limit, [&](Job& part) {
      waiting.reset();
      said = is_there(test, model, part);
      return said.has_value();
    });
    out.blocked = !in_time ? Said::unknown : *said ? Said::yes : Said::no;
    if (out.blocked == Said::yes) {
      out.blocked_at = blocked_at(test, *waiting);
      out.blocked_thin_air = thin_air({waiting, choices, waits.bound}, test, model, job, limit, is_there);
    }
  }
  return out;
}

ThinAirOfList thin_air_of(const prog::Test& test, const cat::Model& model, const Options& options,
                          const Outcomes& listed, double seconds, const Job& job) {
  if (is_machine(model) || listed.status.status == Status::unsupported) return {};
  if (prog::has_lanes(test) && !cat::knows_lanes(model))
    return thin_air_of(test, cat::with_lanes(model), options, listed, seconds, job);
  if (const auto other = as_read(test, model)) return thin_air_of(*other, model, options, listed, seconds, job);
  if (cat::forbids_thin_air(model)) return {};
  Options again = options;
  again.bound = listed.bound;
  again.auto_bound = false;
  const prog::Test depending = with_ends_of_loops(test);
  const cat::Model grounded = cat::without_thin_air(model);
  ThinAirOfList out;
  const auto list = [&](Job& part) {
    const Outcomes other = options.engine == Engine::solve ? outcomes_by_solving(depending, grounded, again, part)
                                                           : outcomes(depending, grounded, again, part);
    out.states = listed.states.states;
    std::erase_if(out.states, [&](const prog::State& s) { return covers(other, s); });
    out.flags = listed.flags;
    out.flags.insert(out.flags.end(), listed.findings.begin(), listed.findings.end());
    std::erase_if(out.flags, [&](const std::string& f) {
      return std::ranges::count(other.flags, f) + std::ranges::count(other.findings, f) > 0;
    });
    return !other.loose && ((out.states.empty() && out.flags.empty()) || other.states.complete);
  };
  if (!within_processor_time(job, std::max(k_least_seconds, seconds), list)) return {.said = Said::unknown};
  out.said = out.states.empty() && out.flags.empty() ? Said::no : Said::yes;
  return out;
}

std::vector<std::string> notes(const Beside& b) {
  std::vector<std::string> out;
  const auto air = [](Said s) {
    return s == Said::yes       ? ", out of thin air alone"
           : s == Said::unknown ? ", out of thin air; whether without is unknown"
                                : "";
  };
  if (b.thin_air == Said::yes)
    out.push_back("out of thin air: every execution that shows it has a value that depends on itself");
  if (b.thin_air == Said::unknown)
    out.push_back(
        "out of thin air: the execution that shows it has a value that depends on itself; whether another does without "
        "is unknown");
  if (b.races == Said::yes) {
    std::string list;
    for (const std::string& f : b.flags) list += (list.empty() ? "" : ", ") + f;
    out.push_back((b.undefined ? "the program is undefined: some execution raises " : "some execution raises ") + list +
                  air(b.races_thin_air));
  }
  if (b.races == Said::unknown) out.push_back("data race: unknown");
  if (b.blocked == Said::yes)
    out.push_back("some executions block for ever: a barrier in divergent control flow" +
                  (b.blocked_at.empty() ? "" : ", " + b.blocked_at) + air(b.blocked_thin_air));
  if (b.blocked == Said::unknown) out.push_back("blocking at a barrier: unknown");
  return out;
}

}  // namespace fencepost::check
