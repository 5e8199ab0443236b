// Termination by states: exact where executions are interleavings.
//
// The criterion: no barriers; every access names one and the same cell through one symbol; and the model keeps that
// cell coherent: in no consistent execution of any path through the program are two accesses of a thread seen out of
// order, two writes left unordered, or a read-modify-write interrupted (the five shapes of J. Alglave et al., "Herding
// cats", TOPLAS 2014, section 4.1: SC per location). Then an infinite execution whose co and fr have finite pasts is an
// interleaving, and conversely every interleaving is an execution if the judge says so of the one that is shown.
//
// Where the model has a proof of that (encode/coherent.h), it is not looked at again. Else
// the shapes are looked for by solving, over the program unrolled twice with reads that return what they like: each
// shape has at most two events of one thread, and between any two instructions there is a way that jumps back to each
// label at most once. With `scoped` liveness all accesses must be in each other's scope besides, so that both
// definitions agree.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/trace.h"
#include "check/liveness.h"
#include "check/solve_queries.h"
#include "encode/coherent.h"
#include "explicit/states.h"
#include "reference/strong.h"

namespace fencepost::check {

using namespace solving;

namespace {

bool on_one_cell(const prog::Test& test) {
  std::optional<prog::Address> one;
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    for (const prog::Instr& in : test.instrs(t)) {
      if (in.kind == prog::Kind::barrier) return false;
      if (in.kind != prog::Kind::load && in.kind != prog::Kind::store && in.kind != prog::Kind::rmw) continue;
      if (in.addr.symbol == prog::k_none || (in.addr.index && !in.addr.index.is_const())) return false;
      if (one && !(*one == in.addr)) return false;
      one = in.addr;
    }
  return true;
}

// Whether some consistent execution shows an incoherent shape; nullopt: not known.
std::optional<bool> may_be_incoherent(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                                      Statistics& stats) {
  auto skeleton = encode::unroll(test, 2, encode::needs_dependencies(model), encode::Unrolling::fragments, {}, &job);
  if (!skeleton) return std::nullopt;
  const auto& events = skeleton->events;
  sat::Circuit c;
  encode::ProgramNeeds needs = encode::needs_of(model, test.dialect);
  needs.free_values = true;
  encode::ProgramEncoding p(*skeleton, needs, c);
  std::vector<Lit> shapes;
  const auto shape = [&](std::vector<Lit> parts) {
    const Lit l = c.and_(std::move(parts));
    if (!c.is_false(l)) shapes.push_back(l);
  };
  const uint32_t init = skeleton->init_events;
  for (uint32_t a : p.writes())
    for (uint32_t b : p.writes()) {
      if (a == b || a < init || b < init) continue;
      if (skeleton->program_order(a, b)) shape({p.co(b, a)});
      if (a < b && skeleton->compatible(a, b) && !needs.total_co)
        shape({p.both(a, b), -p.co(a, b), -p.co(b, a), p.same_location(a, b)});
    }
  for (uint32_t r = init; r < events.size(); ++r) {
    if (!events[r].read) continue;
    if (options.fairness == reference::Fairness::scoped)
      for (uint32_t w = init; w < events.size(); ++w)
        if (events[w].memory() && events[w].thread != events[r].thread && !p.in_scope_of_each_other(r, w)) return true;
    for (const auto& [w, rf] : p.rf_candidates(r)) {
      if (skeleton->program_order(r, w)) shape({rf});
      for (uint32_t v : p.writes()) {
        if (v == w) continue;
        if (skeleton->program_order(v, r)) shape({rf, p.co(w, v)});  // r misses an earlier write of its thread
        if (skeleton->program_order(r, v)) shape({rf, p.co(v, w)});  // or sees one that comes after a later write
      }
      for (uint32_t s = init; s < events.size(); ++s)
        if (events[s].read && skeleton->program_order(r, s))
          for (const auto& [v, rf2] : p.rf_candidates(s))
            if (v != w) shape({rf, rf2, p.co(v, w)});
      if (events[r].partner != prog::k_none)
        for (uint32_t v : p.writes())
          if (v != events[r].partner && v != w) shape({rf, p.co(w, v), p.co(v, events[r].partner)});
    }
  }
  if (shapes.empty()) return false;
  c.add(shapes);
  if (!c.propagate()) return false;
  encode::ModelEncoding m(model, p, c);
  m.require_consistency();
  if (c.contradictory()) return false;
  stats.clauses += c.clause_count();
  stats.variables += c.variables();
  auto solver = sat::make_cadical();
  c.feed(*solver);
  // No loop formulas: executions that they would exclude only make the answer more careful.
  const Answer a = solver->solve({}, job);
  stats.add(solver->effort());
  if (a == Answer::unknown) return std::nullopt;
  return a == Answer::sat;
}

// Why this program's executions are not looked at as states; nullptr: nothing of the program stands against it.
const char* no_states(const prog::Test& test) {
  if (prog::needs_ptx9(test) != nullptr) return "an operation goes on without its thread";  // states: program order
  if (!on_one_cell(test)) return "there are barriers, or accesses of several locations";
  if (prog::may_fail_spuriously(test)) return "a compare-exchange may fail spuriously";  // states have one step each
  for (const prog::Object& o : test.objects)
    if (std::find(o.undefined.begin(), o.undefined.end(), true) != o.undefined.end())
      return "a location has no value at the start";
  for (const reference::ScopeTree::Node& n : reference::scope_tree(test).nodes)
    if (n.children.size() > 64) return "a scope has more than 64 parts";
  return nullptr;
}

std::nullopt_t not_by_states(const char* why) {
  if (trace::on(trace::Room::explicit_state))
    trace::say(trace::Room::explicit_state, std::string("termination is not decided by states: ") + why);
  return std::nullopt;
}

}  // namespace

std::optional<Result> decide_by_states(const prog::Test& test, const cat::Model& model, const Options& options,
                                       Job& job, Statistics& spent) {
  const auto start = std::chrono::steady_clock::now();
  if (const char* why = no_states(test); why != nullptr) return not_by_states(why);
  Result r;
  r.stats.decided_by = Engine::automatic;
  const auto incoherent = encode::coherent_by_proof(test, model) ? std::optional(false)
                                                                 : may_be_incoherent(test, model, options, job, spent);
  if (incoherent.value_or(true))
    return not_by_states(incoherent ? "the model does not keep the location coherent"
                                    : "whether the model keeps the location coherent was not decided");
  const explicit_state::Exploration all = explicit_state::explore(test, options.progress, job);
  if (trace::on(trace::Room::explicit_state))
    trace::say(trace::Room::explicit_state,
               fmt::format("{} states and {} steps between them{}", all.states, all.edges,
                           all.end != explicit_state::Exploration::End::finished ? ", not all"
                           : all.starving ? fmt::format(": a cycle of {} steps, {} from the start, keeps the promise",
                                                        all.starving->cycle.size(), all.starving->prefix.size())
                                          : ": no cycle keeps the promise"));
  if (all.end != explicit_state::Exploration::End::finished) return std::nullopt;
  r.stats.add(spent);
  r.stats.candidates = all.states;
  r.verdict.status = Status::holds;
  if (all.starving) {
    r.lasso = explicit_state::lasso_of(test, *all.starving);
    // The judge confirms an execution that goes on for ever and keeps the promise; that the states of its cycle are
    // closed under fair steps is what the exploration has found.
    const reference::Progress promise = reference::weakly(options.progress);
    if (!reference::verify(test, model, *r.lasso, promise, options.fairness))
      return not_by_states("the judge does not confirm the cycle");
    show_lasso(r, test, std::move(*r.lasso));
    r.verdict.status = Status::fails;
  }
  r.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

}  // namespace fencepost::check
