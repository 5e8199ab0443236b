#include "check/liveness.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "prog/test.h"
#include "reference/strong.h"

namespace fencepost::check {
namespace {

bool decided(Status s) { return s == Status::holds || s == Status::fails; }

// Neither engine may contradict the other. Within a bound their answers are the same unless one of them has none.
Result both(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  Result a = solve_termination(test, model, options, job);
  Result b = enumerate_termination(test, model, options, job);
  if (decided(a.verdict.status) && decided(b.verdict.status) && a.verdict.status != b.verdict.status) {
    const std::string sentence = "the engines disagree on the termination of " + test.title + " under " + model.path +
                                 " and " + options.progress.name + ", bound " + prog::to_string(options.bound) +
                                 ": solve says " + fencepost::name(a.verdict.status) + ", enumerate says " +
                                 fencepost::name(b.verdict.status);
    invariant_failed(__FILE__, __LINE__, sentence.c_str());
  }
  const bool first = decided(a.verdict.status) || !decided(b.verdict.status);
  Result& kept = first ? a : b;
  kept.stats.add((first ? b : a).stats);
  if (a.verdict.status == b.verdict.status) kept.stats.decided_by = Engine::both;
  return std::move(kept);
}

Result at_bound(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  switch (options.engine) {
    case Engine::solve:
      return solve_termination(test, model, options, job);
    case Engine::enumerate:
      return enumerate_termination(test, model, options, job);
    case Engine::both:
      return both(test, model, options, job);
    case Engine::automatic:
      break;
  }
  Result r = solve_termination(test, model, options, job);
  if (r.verdict.status != Status::unsupported) return r;
  Result other = enumerate_termination(test, model, options, job);
  other.stats.add(r.stats);
  return other;
}

}  // namespace

void show_lasso(Result& r, const prog::Test& test, reference::Lasso lasso) {
  uint32_t rounds = 1;
  for (const reference::ThreadLasso& l : lasso.threads) rounds = std::max(rounds, l.given);
  auto played = reference::play(test, lasso, rounds);
  FENCEPOST_INVARIANT(played.has_value(), "a lasso that the judge has confirmed cannot be played");
  r.execution = std::move(played->run);
  r.round = std::move(played->round);
  r.choices = lasso.choices;
  r.lasso = std::move(lasso);
}

Result termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  if (options.filter && test.filter.kind != prog::Cond::Kind::always) {
    Result r;
    r.verdict = {Status::unsupported, "termination of a test with a filter", false};
    return r;
  }
  if (reference::is_strong(options.progress)) {
    std::vector<bool> all(test.threads.size(), true);
    if (!reference::promised(reference::scope_tree(test), options.progress, all, all)) {
      Result r;
      r.verdict = {Status::unsupported, "strong fairness of a scheduler that chooses among groups of several threads",
                   false};
      return r;
    }
  }
  Statistics states;
  if (options.engine == Engine::automatic && options.explicit_state)
    if (auto exact = decide_by_states(test, model, options, job, states)) return std::move(*exact);
  Result r = at_bound(test, model, options, job);
  r.stats.add(states);
  return r;
}

}  // namespace fencepost::check
