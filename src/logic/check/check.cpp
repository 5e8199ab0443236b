#include "check/check.h"

#include <algorithm>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/trace.h"
#include "cat/lanes.h"
#include "check/first_bounds.h"
#include "check/left_out.h"
#include "check/liveness.h"
#include "check/machine.h"
#include "check/processor_time.h"
#include "check/races.h"
#include "check/raise.h"
#include "check/shared_cells.h"
#include "prog/lanes.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::check {
namespace {

bool decided(Status s) { return s == Status::holds || s == Status::fails || s == Status::unknown; }

Result both(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  Result a = solve(test, model, options, job);
  Result b = enumerate(test, model, options, job);
  if (decided(a.verdict.status) && decided(b.verdict.status)) {
    const bool agree =
        a.verdict.status == b.verdict.status && a.verdict.vacuous == b.verdict.vacuous && a.reachable == b.reachable;
    if (!agree) {
      const auto say = [](const Result& r) {
        return std::string(fencepost::name(r.verdict.status)) + (r.verdict.vacuous ? " vacuously" : "");
      };
      const std::string sentence = "the engines disagree on " + test.title + " under " + model.path + " (" +
                                   name(options.property) + ", bound " + prog::to_string(options.bound) +
                                   "): solve says " + say(a) + ", enumerate says " + say(b);
      invariant_failed(__FILE__, __LINE__, sentence.c_str());
    }
    a.stats.add(b.stats);
    a.stats.decided_by = Engine::both;
    return a;
  }
  // One of them has no answer: the other's stands, and says that it stands alone.
  Result& kept = decided(a.verdict.status) ? a : b;
  const Result& other = decided(a.verdict.status) ? b : a;
  if (!kept.verdict.detail.empty()) kept.verdict.detail += "; ";
  kept.verdict.detail += std::string(name(other.stats.decided_by)) + ": " + fencepost::name(other.verdict.status);
  if (!other.verdict.detail.empty()) kept.verdict.detail += " (" + other.verdict.detail + ")";
  kept.stats.add(other.stats);
  return std::move(kept);
}

}  // namespace

void Statistics::add(const Statistics& before) {
  seconds += before.seconds;
  candidates += before.candidates;
  clauses += before.clauses;
  variables += before.variables;
  effort += before.effort;
  effort_known = effort_known && before.effort_known;
  queries += before.queries;
  settled += before.settled;
  rounds += before.rounds;
  rules |= before.rules;
  symmetric_runs += before.symmetric_runs;
  phases.leave_out += before.phases.leave_out;
  phases.program += before.phases.program;
  phases.settle += before.phases.settle;
  phases.model += before.phases.model;
  phases.search += before.phases.search;
  phases.replay += before.phases.replay;
  phases.other += before.phases.other;
}

void Statistics::add(const std::optional<sat::Effort>& of) {
  if (of)
    effort += *of;
  else
    effort_known = false;
}

const char* name(Engine e) {
  switch (e) {
    case Engine::automatic:
      return "auto";
    case Engine::enumerate:
      return "enumerate";
    case Engine::solve:
      return "solve";
    case Engine::both:
      return "both";
  }
  return "auto";
}

const char* name(Property p) {
  switch (p) {
    case Property::condition:
      return "condition";
    case Property::races:
      return "races";
    case Property::termination:
      return "termination";
  }
  return "condition";
}

namespace {

Result by_engine(const prog::Test& test, const cat::Model& model, const Options& options, Job& job, LeftOut& known) {
  if (const auto many = prog::too_many_exchanges(test, options.bound)) {
    Result none;
    none.verdict = {Status::unsupported, *many, false};
    return none;
  }
  if (options.property == Property::termination) return termination(test, model, options, job);
  switch (options.engine) {
    case Engine::enumerate:
      return enumerate(test, model, options, job);
    case Engine::solve:
      return solve(test, model, options, job, known);
    case Engine::both:
      return both(test, model, options, job);
    case Engine::automatic:
      break;
  }
  Result r = solve(test, model, options, job, known);
  if (r.verdict.status != Status::unsupported) return r;
  Result other = enumerate(test, model, options, job);
  other.stats.add(r.stats);
  return other;
}

Result check_at_bound(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                      LeftOut& known) {
  Result r = by_engine(test, model, options, job, known);
  if (trace::on(trace::Room::check))
    trace::say(trace::Room::check, "bound " + prog::to_string(options.bound) +
                                       (options.reduce ? ", iterations with an effect alone" : "") + ": " +
                                       name(r.stats.decided_by) + " says " + name(r.verdict.status) +
                                       (r.verdict.detail.empty() ? "" : ", " + r.verdict.detail));
  return r;
}

}  // namespace

namespace {

std::string stem(const cat::Model& model) { return std::filesystem::path(model.path).stem().string(); }

// OPENCL: the parameters of all threads put a location into one address space.
Expected<void> one_space(const prog::Test& test, const cat::Model& model) {
  if (model.any_space) return {};
  for (const prog::Object& o : test.objects)
    if (o.local_in != prog::k_none && o.global_in != prog::k_none)
      return error_at(o.span,
                      "'" + o.name + "' is local in P" + std::to_string(o.local_in) + " and global in P" +
                          std::to_string(o.global_in),
                      "a location lies in one address space: declare it alike, or give the two different names");
  return {};
}

// OPENCL: what the question says of memory that each work-group has for itself, it says of one group's.
Expected<void> one_group(const prog::Test& test, const cat::Model& model) {
  if (model.any_space) return {};
  const prog::CondValue* v = prog::named_of_any_group(test);
  if (v == nullptr) return {};
  std::string each;
  for (const prog::Symbol& s : test.symbols)
    if (s.instances == v->symbol) each += (each.empty() ? "" : " or ") + s.name;
  return error_at(v->span,
                  "each " + std::string(test.syntax == prog::Syntax::cuda ? "block" : "work-group") + " has a '" +
                      prog::declared_name(test.symbols[v->symbol]) + "' of its own",
                  "say whose: " + each);
}

Expected<void> instructions_known(const prog::Test& test, const cat::Model& model) {
  if (model.knows_asynchronous) return {};
  const prog::Instr* i = prog::needs_ptx9(test);
  if (i == nullptr) return {};
  const std::string name = stem(model);
  return unsupported_at(i->span,
                        "'" + i->mnemonic + "' is not an instruction of the model " + (name.empty() ? "in use" : name),
                        "use --model ptx-9, or a header (* instructions: asynchronous *) in a model of your own");
}

Expected<void> hosts_known(const prog::Test& test, const cat::Model& model) {
  const prog::Thread* t = prog::host_thread(test);
  if (t == nullptr || model.knows_hosts) return {};
  const std::string name = stem(model);
  return unsupported_at(test.span,
                        "P" + std::to_string(t->id) + " is a thread of the host, and the model " +
                            (name.empty() ? "in use" : name) + " does not know them",
                        "use --model ptx-8-x86, or a header (* hosts: x86 *) in a model of your own");
}

}  // namespace

Expected<void> fits(const prog::Test& test, const cat::Model& model) {
  if (auto ok = one_space(test, model); !ok) return ok;
  if (auto ok = one_group(test, model); !ok) return ok;
  if (auto ok = instructions_known(test, model); !ok) return ok;
  if (auto ok = hosts_known(test, model); !ok) return ok;
  if (model.knows_clusters) return {};
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.tags.has(vocab::Tag::CLUSTER) || i.store_tags.has(vocab::Tag::CLUSTER)) {
        const std::string name = stem(model);
        return unsupported_at(
            i.span,
            "'" + i.mnemonic + "' has the scope .cluster, and the model " + (name.empty() ? "in use" : name) +
                " does not know it",
            "use --model ptx-8, or a header (* scopes: cta cluster gpu sys *) in a model of your own");
      }
  return {};
}

namespace {

// The model has a set `A \ VOLATILE`: a volatile access is none of its atomic ones (CUDA C++).
bool takes_volatile_as_plain(const cat::Model& model) {
  const auto is = [&](cat::NodeId n, vocab::Tag tag) {
    return model.nodes[n].op == cat::NodeOp::base_set && model.nodes[n].tag == tag;
  };
  return std::any_of(model.nodes.begin(), model.nodes.end(), [&](const cat::Node& n) {
    return n.op == cat::NodeOp::diff && is(n.kids[0], vocab::Tag::A) && is(n.kids[1], vocab::Tag::VOLATILE);
  });
}

}  // namespace

std::optional<prog::Test> as_read(const prog::Test& test, const cat::Model& model) {
  using vocab::Tag;
  std::optional<prog::Test> out;
  if (model.any_space) {
    out = test;
    if (!prog::join_groups(*out)) out.reset();
  }
  // Also what a loop is sure to see is then promised of atomic accesses alone (docs/liveness.md).
  const auto is_volatile = [](const prog::Instr& i) { return i.tags.has(Tag::VOLATILE) && i.tags.has(Tag::A); };
  if (test.dialect == vocab::Dialect::opencl && takes_volatile_as_plain(model) &&
      std::any_of(test.templates.begin(), test.templates.end(),
                  [&](const prog::Template& t) { return std::any_of(t.code.begin(), t.code.end(), is_volatile); })) {
    if (!out) out = test;
    for (prog::Template& t : out->templates)
      for (prog::Instr& i : t.code) {
        if (!is_volatile(i)) continue;
        i.tags.remove(Tag::A).remove(Tag::RLX).remove(Tag::ALL).add(Tag::NA);
        if (i.kind == prog::Kind::store) i.tags.add(Tag::WI);
      }
  }
  const auto for_everyone = [](const prog::Instr& i) { return i.barrier.everyone; };
  if (model.mentioned_barriers &&
      std::any_of(test.templates.begin(), test.templates.end(),
                  [&](const prog::Template& t) { return std::any_of(t.code.begin(), t.code.end(), for_everyone); })) {
    if (!out) out = test;
    for (prog::Template& t : out->templates)
      for (prog::Instr& i : t.code) i.barrier.everyone = false;
  }
  return out;
}

namespace {

// An instruction whose events are not those of its thread.
const prog::Instr* asynchronous(const prog::Test& test) {
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.tags.has(vocab::Tag::ASY)) return &i;
  return nullptr;
}

// Silent iterations are left out of termination from bound 2 on, repeated ones from 3 (liveness_solve.cpp).
uint32_t least_raised(const prog::Test& test, Property property) {
  if (property != Property::termination) return 1;
  return test.dialect == vocab::Dialect::vulkan ? 2 : 3;
}

// The bound that was given, with every iteration counted.
Result ask_whole(const prog::Test& test, const cat::Model& model, const Options& options, Job& job, LeftOut& known,
                 bool nothing_found = false) {
  Options plain = options;
  plain.reduce = false;
  plain.nothing_found = nothing_found;
  return check_at_bound(test, model, plain, job, known);
}

// Where leaving out iterations did not help, the bound itself is asked about, with every iteration counted. That
// nothing was found is known where a loop goes beyond it, since that is asked afterwards. `all_raised`: loops go beyond
// the bound that was given, and no other goes beyond its own: an execution that stays within it takes those others no
// further, unless they end by themselves.
void ask_bound_itself(Result& r, bool all_raised, const prog::Test& test, const cat::Model& model,
                      const Options& options, Job& job, LeftOut& known) {
  const bool nothing_found = options.property != Property::termination && !r.reached.empty() &&
                             (r.bound == options.bound || (all_raised && !loops_may_end_by_themselves(test, model)));
  if (nothing_found && r.every_iteration) {
    r.verdict.detail = "a loop reached bound " + prog::to_string(options.bound);
    return;
  }
  Result next = ask_whole(test, model, options, job, known, nothing_found);
  if (next.verdict.status == Status::gave_up || next.verdict.status == Status::unsupported) {
    r.stats.add(next.stats);
    return;
  }
  next.stats.add(r.stats);
  r = std::move(next);
  r.bound = options.bound;
}

}  // namespace

Result check_from_below(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  Options now = options;
  // Two engines are compared at a bound that both count alike.
  now.reduce = options.engine != Engine::both && (options.reduce || options.auto_bound);
  // A bound that was given is come to from below, as with auto_bound: what is decided with less is decided.
  const bool from_below =
      options.engine == Engine::automatic && !now.reduce && options.bound.loops.empty() && options.bound.all > 1;
  if (from_below || (now.auto_bound && now.bound == 1)) {
    CountedBounds first{first_bounds(test, model)};
    if (options.property == Property::condition)
      first = past_counted_loops(test, first.bounds, from_below ? options.bound : k_auto_bound, job);
    now.bound = first.bounds;
    now.auto_bound = true;
    now.reduce = (now.reduce || from_below) && !first.all_end;
    if (from_below && first.none_ends) now.reduce = false, now.nothing_found = true;
  }
  LeftOut known;
  Result r = check_at_bound(test, model, now, job, known);
  r.bound = now.bound;
  bool all_raised = false;
  const bool timed = job.deadline != Job::Clock::time_point::max();
  const auto goes_on = [&] {
    if (r.verdict.status != Status::unknown) return false;
    if (from_below) return now.bound != options.bound;
    return options.auto_bound && (timed || now.bound.largest() * 2 <= k_auto_bound);
  };
  while (goes_on()) {
    const prog::LoopBounds before = now.bound;
    now.bound = prog::raised(test, now.bound, r.reached, least_raised(test, options.property));
    if (from_below) {
      now.bound = within(now.bound, options.bound);
      all_raised = now.bound == before && options.property != Property::termination && !r.reached.empty();
      if (all_raised) break;
      if (now.bound == before) now.bound = options.bound;
    }
    Result next = check_at_bound(test, model, now, job, known);
    // Out of time or too large: the last answer stands.
    if (next.verdict.status == Status::gave_up || next.verdict.status == Status::unsupported) {
      r.verdict.detail += "; bound " + prog::to_string(now.bound) + ": " + name(next.verdict.status);
      if (prog::too_many_exchanges(test, now.bound)) r.verdict.detail += ", " + next.verdict.detail;
      r.stats.add(next.stats);
      break;
    }
    next.stats.add(r.stats);
    r = std::move(next);
    r.bound = now.bound;
  }
  if (from_below && r.verdict.status == Status::unknown)
    ask_bound_itself(r, all_raised, test, model, options, job, known);
  if (from_below) {
    if (r.bound != options.bound && !r.execution && decided(r.verdict.status) &&
        loops_may_end_in_a_row(test, model, options.bound.all))
      if (Result whole = ask_whole(test, model, options, job, known); whole.execution) {
        whole.stats.add(r.stats);
        r = std::move(whole);
      }
    r.bound = options.bound;
  }
  return r;
}

Result check(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  if (job.out_of_time()) {
    Result none;
    none.verdict = {Status::gave_up, "out of time", false};
    return none;
  }
  if (is_machine(model)) return by_machine(test, model, options, job);
  if (prog::has_lanes(test) && !cat::knows_lanes(model)) return check(test, cat::with_lanes(model), options, job);
  if (const auto other = as_read(test, model)) return check(*other, model, options, job);
  if (const auto ok = fits(test, model); !ok) {
    Result none;
    none.verdict = {Status::unsupported, ok.error().list[0].message, false};
    return none;
  }
  // An operation that is issued goes on without its thread, and a thread that is left behind would take it along.
  if (const prog::Instr* i = asynchronous(test);
      i != nullptr && options.property == Property::termination && !options.progress.all_fair()) {
    Result none;
    none.verdict = {Status::unsupported,
                    "termination of tests with '" + i->mnemonic + "' under a scheduler that is not fair to everybody",
                    false};
    return none;
  }
  const double start = processor_seconds();
  Result r = check_from_below(test, model, options, job);
  r.stats.phases.other += std::max(0.0, processor_seconds() - start - r.stats.phases.sum());
  // What raises a flag fails under any model (undefined behaviour); that nothing races is not for such a model to say.
  if (options.property == Property::races && r.verdict.status != Status::fails && races_of(model) == Races::unknown) {
    const std::string name = stem(model);
    r.verdict = {Status::unsupported,
                 "the model " + (name.empty() ? "in use" : name) + " does not say what a data race is", false};
  }
  if (options.property == Property::races && r.verdict.status == Status::fails && r.execution)
    r.verdict.detail = beyond_its_array(test, model, r.execution->execution);
  return r;
}

}  // namespace fencepost::check
