#include "check/beside.h"

#include <algorithm>

#include "cat/lanes.h"
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
  if (options.property != Property::condition || s == Status::unsupported) return out;
  if (may_flag(test, model)) {
    Options races = options;
    races.property = Property::races;
    races.bound = result.bound;
    races.auto_bound = false;
    races.reduce = options.reduce || options.auto_bound;
    races.companion = false;
    // A bound that is given is come to from below here too.
    const bool from_below = races.engine == Engine::automatic && !races.reduce;
    Result r;
    const bool in_time = within_processor_time(job, limit_of(result), [&](Job& part) {
      r = from_below ? check_from_below(test, model, races, part) : solve(test, model, races, part);
      return r.verdict.status == Status::fails || r.verdict.status == Status::holds;
    });
    if (!in_time) r.flags.clear();
    out.races = !in_time ? Said::unknown : r.verdict.status == Status::fails ? Said::yes : Said::no;
    out.flags = r.flags;
    out.undefined = any_undefines(model, r.flags);
  }
  if (has_barriers(test)) {
    Options waits = options;
    waits.bound = result.bound;
    Said said = Said::unknown;
    const bool in_time = within_processor_time(job, limit_of(result), [&](Job& part) {
      solving::Queries q(test, model, waits, part);
      if (!q.prepare()) return false;
      Statistics unused;
      const solving::Found found = q.ask(solving::Goal::blocked, false, unused);
      if (found.answer == solving::Answer::sat)
        said = Said::yes, out.blocked_at = blocked_at(test, found.run);
      else if (found.answer == solving::Answer::unsat && !q.may_be_cut())
        said = Said::no;
      return said != Said::unknown;
    });
    out.blocked = in_time ? said : Said::unknown;
    if (!in_time) out.blocked_at.clear();
  }
  return out;
}

std::vector<std::string> notes(const Beside& b) {
  std::vector<std::string> out;
  if (b.races == Said::yes) {
    std::string list;
    for (const std::string& f : b.flags) list += (list.empty() ? "" : ", ") + f;
    out.push_back((b.undefined ? "the program is undefined: some execution raises " : "some execution raises ") + list);
  }
  if (b.races == Said::unknown) out.push_back("data race: unknown");
  if (b.blocked == Said::yes)
    out.push_back("some executions block for ever: a barrier in divergent control flow" +
                  (b.blocked_at.empty() ? "" : ", " + b.blocked_at));
  if (b.blocked == Said::unknown) out.push_back("blocking at a barrier: unknown");
  return out;
}

}  // namespace fencepost::check
