// Termination by enumeration: every execution of the program unrolled up to the bound, each held against every way to
// read it as a lasso. Nothing is shared with liveness_solve.cpp but the definition (docs/semantics.md) and the judge.
#include <algorithm>
#include <chrono>

#include "check/enumerate_search.h"
#include "check/liveness.h"
#include "prog/test.h"
#include "reference/loops.h"
#include "vocab/vocab.h"

namespace fencepost::check {
namespace {

using reference::Fate;
using reference::StopReason;
using reference::ThreadLasso;

class Finder {
 public:
  Finder(const prog::Test& test, const cat::Model& model, const Options& options)
      : test_(test), model_(model), options_(options), tree_(reference::scope_tree(test)) {
    for (uint32_t t = 0; t < test.threads.size(); ++t)
      loops_.push_back(reference::find_loops(test.code(t), std::vector<bool>(test.code(t).registers.size(), false)));
  }

  // Whether these paths may be a violation as far as the scheduler is concerned.
  bool wanted(const std::vector<const Path*>& paths) const {
    std::vector<bool> schedulable, started, running;
    bool somebody = false;
    for (uint32_t t = 0; t < paths.size(); ++t) {
      const StopReason s = paths[t]->stop;
      const bool runs = s == StopReason::spin || s == StopReason::cut;
      running.push_back(runs);
      schedulable.push_back(runs || s == StopReason::halted);
      started.push_back(s == StopReason::halted ? paths[t]->steps > 0 : !test_.instrs(t).empty());
      somebody = somebody || runs || s == StopReason::blocked;
    }
    return somebody && reference::keeps_promise(tree_, options_.progress, schedulable, started, running);
  }

  std::optional<std::string> not_repeated;  // why the judge could not repeat the last such candidate

  std::optional<reference::Lasso> lasso_of(const Candidate& c) {
    reference::RunOptions o;
    o.trace = true;
    for (const Path* p : c.paths)
      o.halt_after.push_back(p->stop == StopReason::end || p->stop == StopReason::blocked ? std::nullopt
                                                                                          : std::optional(p->steps));
    const auto run = reference::run(test_, c.choices, o);
    FENCEPOST_INVARIANT(run.has_value(), "the interpreter rejects an execution of enumerate");
    std::vector<std::vector<ThreadLasso>> fates;
    for (uint32_t t = 0; t < c.paths.size(); ++t) {
      fates.push_back(fates_of(t, *c.paths[t], *run));
      if (fates.back().empty()) return std::nullopt;
    }
    reference::Lasso lasso{c.choices, {}};
    lasso.choices.final_write.clear();
    return choose(lasso, fates) ? std::optional(std::move(lasso)) : std::nullopt;
  }

 private:
  bool choose(reference::Lasso& lasso, const std::vector<std::vector<ThreadLasso>>& fates) {
    const size_t t = lasso.threads.size();
    if (t == fates.size()) {
      reference::Judgement j = reference::judge(test_, model_, lasso, options_.progress, options_.fairness);
      if (j.kind == reference::Judgement::Kind::not_repeated) not_repeated = std::move(j.why);
      return j.kind == reference::Judgement::Kind::confirmed;
    }
    for (const ThreadLasso& f : fates[t]) {
      lasso.threads.push_back(f);
      if (choose(lasso, fates)) return true;
      lasso.threads.pop_back();
    }
    return false;
  }

  std::vector<ThreadLasso> fates_of(uint32_t t, const Path& p, const reference::RunResult& run) const {
    switch (p.stop) {
      case StopReason::end:
        return {{Fate::ended, 0, 0, 0}};
      case StopReason::blocked:
        return {{Fate::blocked, 0, 0, 0}};
      case StopReason::halted:
        return {{Fate::halted, p.steps, 0, 0}};
      case StopReason::spin:
      case StopReason::cut:
        break;
    }
    const auto& trace = run.threads[t].trace;
    const prog::Instr& jump = test_.instrs(t)[p.stop_instr];
    const auto loop = std::find_if(loops_[t].begin(), loops_[t].end(),
                                   [&](const reference::Loop& l) { return l.label == jump.label; });
    // The times at the label during this stay in the loop, the last one first.
    std::vector<uint64_t> visits;
    for (uint64_t i = p.steps + 1; i-- > 0;) {
      if (trace[i].position < loop->begin || trace[i].position > loop->end) break;
      if (trace[i].position == loop->begin) visits.push_back(i);
    }
    std::vector<ThreadLasso> out;
    if (p.stop == StopReason::spin) {
      if (!fails_spuriously(t, run, visits.at(1)))
        out.push_back({Fate::running, visits.at(1), visits[0] - visits[1], 1});
      return out;
    }
    for (size_t d = 1; 2 * d < visits.size(); ++d) {
      const uint64_t first = visits[2 * d];
      const uint64_t second = visits[d];
      if (second - first == visits[0] - second && same_rounds(t, trace, run, first, second) &&
          !fails_spuriously(t, run, first))
        out.push_back({Fate::running, first, second - first, 2});
    }
    return out;
  }

  // In what the thread does from this step on: spurious failures are finitely many, so no round has one.
  static bool fails_spuriously(uint32_t t, const reference::RunResult& run, uint64_t from) {
    const auto& events = run.execution.events;
    for (size_t e = 0; e < events.size(); ++e)
      if (events[e].key.thread == t && events[e].spurious && run.step[e] >= from) return true;
    return false;
  }

  // Both rounds start from the same live registers, go the same way and read the same values.
  bool same_rounds(uint32_t t, const std::vector<reference::Moment>& trace, const reference::RunResult& run,
                   uint64_t first, uint64_t second) const {
    const auto live =
        reference::live_registers(test_.code(t), std::vector<bool>(test_.code(t).registers.size(), false));
    for (size_t r = 0; r < trace[first].registers.size(); ++r)
      if (live[trace[first].position][r] && trace[first].registers[r] != trace[second].registers[r]) return false;
    const uint64_t length = second - first;
    for (uint64_t k = 0; k < length; ++k)
      if (trace[first + k].position != trace[second + k].position) return false;
    const auto& events = run.execution.events;
    for (size_t e = 0; e < events.size(); ++e)
      for (size_t f = 0; f < events.size(); ++f)
        if (events[e].key.thread == t && events[f].key.thread == t && events[e].tags.has(vocab::Tag::R) &&
            events[f].tags.has(vocab::Tag::R) && run.step[e] >= first && run.step[e] < second &&
            run.step[f] == run.step[e] + length && events[e].value != events[f].value)
          return false;
    return true;
  }

  const prog::Test& test_;
  const cat::Model& model_;
  const Options& options_;
  reference::ScopeTree tree_;
  std::vector<std::vector<reference::Loop>> loops_;
};

}  // namespace

Result enumerate_termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  const auto start = std::chrono::steady_clock::now();
  Result r;
  r.stats.decided_by = Engine::enumerate;
  const bool fair = options.progress.all_fair();
  Search search(test, model, job, options.bound, fair ? PathKind::liveness : PathKind::unfair_liveness);
  auto done = [&](Status s, std::string detail = {}) {
    r.verdict.status = s;
    r.verdict.detail = std::move(detail);
    r.stats.candidates = search.candidates();
    r.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  };
  for (const reference::ScopeTree::Node& n : reference::scope_tree(test).nodes)
    if (n.children.size() > 64) return done(Status::unsupported, "more than 64 siblings under a progress model");
  Finder finder(test, model, options);
  Goal goal;
  goal.filter = false;
  goal.stops = Goal::Stops::some_stop;
  goal.wanted = [&](const std::vector<const Path*>& paths) { return finder.wanted(paths); };
  const SearchEnd end = search.run(goal, [&](const Candidate& c) {
    r.lasso = finder.lasso_of(c);
    return !r.lasso;
  });
  if (r.lasso) {
    show_lasso(r, test, std::move(*r.lasso));
    return done(Status::fails);
  }
  if (end == SearchEnd::gave_up) return done(Status::gave_up, "out of time");
  if (finder.not_repeated)
    return done(Status::unknown, "candidates did not repeat, the last one because " + *finder.not_repeated);
  Search fragments(test, model, job, options.bound, PathKind::fragments);
  if (fragments.has_cut()) {
    Goal cut;
    cut.filter = false;
    cut.stops = Goal::Stops::some_cut;
    bool found = false;
    const SearchEnd how = fragments.run(cut, [&](const Candidate&) {
      found = true;
      return false;
    });
    if (found) return done(Status::unknown, "a loop with effects reached bound " + prog::to_string(options.bound));
    if (how == SearchEnd::gave_up) return done(Status::gave_up, "out of time");
  }
  if (options.companion) {
    Search any(test, model, job, options.bound);
    Goal some;
    some.filter = false;
    some.stops = Goal::Stops::any;
    bool found = false;
    const SearchEnd how = any.run(some, [&](const Candidate&) {
      found = true;
      return false;
    });
    if (!found && how == SearchEnd::gave_up) return done(Status::gave_up, "out of time");
    r.verdict.vacuous = !found;
  }
  return done(Status::holds);
}

}  // namespace fencepost::check
