// Verdicts. Both come from the strongly connected components of the reachable graph; `live` and F are constant within
// one, because a thread ends once and F only grows while none ends.
//   weak    a component starves when every thread of F has a step from it into it: going round all of it is fair.
//   strong  a component starves when F is empty and it holds a cycle, or when some of its states cannot leave it by
//           fair steps (Space::closed_part). A set closed under the steps of F, F not empty, holds a bottom component
//           of the fair steps, and that one is strongly connected by at least one step, for live threads are always
//           enabled.
//           A component that starves strongly starves weakly, which the code uses as a filter.
#include <algorithm>
#include <map>

#include "base/trace.h"
#include "oracle/fairness.h"
#include "oracle/lasso.h"
#include "oracle/oracle.h"
#include "oracle/space.h"

namespace fencepost::oracle {
namespace {

bool has_cycle(const Space::Component& c) { return c.steppers != 0; }
bool starves_weakly(const Space::Component& c, fair::ThreadSet fair) {
  return has_cycle(c) && (fair & ~c.steppers) == 0;
}
bool starves_strongly(Space& space, uint32_t c, fair::ThreadSet fair) {
  return starves_weakly(space.components()[c], fair) && (fair == 0 || !space.closed_part(c, fair).empty());
}

void judge(Space& space, uint32_t c, fair::ThreadSet fair, Pair& p) {
  if (!starves_weakly(space.components()[c], fair)) return;
  p.weak = false;
  if (p.strong && starves_strongly(space, c, fair)) p.strong = false;
}

// Machines of one model by thread count; their interned states serve test after test.
class Machines {
 public:
  fair::Machine& of(const fair::Model& model, uint32_t threads, fair::ThreadSet live) {
    auto at = kept_.find(threads);
    if (at == kept_.end()) at = kept_.try_emplace(threads, model, threads, live).first;
    return at->second;
  }

 private:
  std::map<uint32_t, fair::Machine> kept_;
};

}  // namespace

const char* name(Fairness f) { return f == Fairness::weak ? "weak" : "strong"; }

// ---- closed forms ----------------------------------------------------------------------------------------------

ClosedForm::ClosedForm(const fair::Model& model, uint32_t threads) : model_(&model), threads_(threads) {
  if (threads > k_table_threads) return;
  const uint32_t sets = 1u << threads;
  table_.resize(size_t{sets} * sets);
  for (uint32_t started = 0; started < sets; ++started)
    for (uint32_t live = 0; live < sets; ++live) table_[started << threads | live] = model.fair(threads, live, started);
  for (uint32_t started = 0; started < sets && well_formed_; ++started)
    for (uint32_t live = 0; live < sets && well_formed_; ++live) well_formed_ = check(live, started);
}

bool ClosedForm::check(fair::ThreadSet live, fair::ThreadSet started) {
  const fair::ThreadSet now = look_up(live, started);
  if ((now & ~live) != 0) return false;
  for (fair::ThreadSet rest = live; rest != 0; rest &= rest - 1) {
    const fair::ThreadSet t = rest & -rest;
    const fair::ThreadSet stepped = look_up(live, started | t), ended = look_up(live & ~t, started | t);
    if ((now & ~stepped) != 0 || (now & ~t & ~ended) != 0) return false;
  }
  return true;
}

fair::ThreadSet ClosedForm::look_up(fair::ThreadSet live, fair::ThreadSet started) {
  if (!table_.empty()) return table_[started << threads_ | live];
  auto [at, fresh] = memo_.try_emplace({live, started});
  if (fresh) at->second = model_->fair(threads_, live, started);
  return at->second;
}

bool ClosedForm::check_all(const Space& space) {
  if (!table_.empty()) return well_formed_;
  for (uint32_t s = 0; s < space.states(); ++s) {
    const fair::ThreadSet live = space.program().live(space.state(s)),
                          started = space.program().started(space.state(s));
    if (checked_.insert({live, started}).second) well_formed_ = well_formed_ && check(live, started);
  }
  return well_formed_;
}

// ---- many tests, many models -----------------------------------------------------------------------------------

struct Decider::Impl {
  std::vector<fair::Model> models;
  Options options;
  Space space;
  std::vector<Machines> machines;
  struct Tables {
    std::vector<ClosedForm> forms;       // one per closed model, in their order
    std::vector<uint32_t> closed, open;  // positions in `models`: by table, and those that need their machine
  };
  std::map<uint32_t, Tables> tables;  // by thread count
  std::vector<Pair> verdicts;

  Tables& tables_for(uint32_t threads) {
    auto at = tables.find(threads);
    if (at != tables.end()) return at->second;
    Tables& t = tables[threads];
    for (uint32_t m = 0; m < models.size(); ++m) {
      if (!models[m].closed_form()) {
        t.open.push_back(m);
        continue;
      }
      ClosedForm form(models[m], threads);
      // A closed form that is ill-formed somewhere may still be well-formed on every run of a test; its machine knows,
      // and has the diagnostic.
      if (!form.well_formed()) {
        t.open.push_back(m);
        continue;
      }
      t.closed.push_back(m);
      t.forms.push_back(std::move(form));
    }
    return t;
  }

  Expected<bool> with_machine(const axb::Test& test, uint32_t m) {
    const auto threads = static_cast<uint32_t>(test.threads.size());
    fair::ThreadSet live = 0;
    for (uint32_t t = 0; t < threads; ++t) live |= fair::ThreadSet{!test.threads[t].code.empty()} << t;
    fair::Machine& machine = machines[m].of(models[m], threads, live);
    auto end = space.explore(test, Rider::machine, &machine, options.max_states, nullptr);
    if (!end) return std::unexpected(end.error());
    if (*end != Space::End::complete) return false;
    space.find_components();
    Pair& p = verdicts[m];
    p = {true, true};
    for (uint32_t c = 0; c < space.components().size() && p.strong; ++c) {
      const Space::Component& part = space.components()[c];
      if (!has_cycle(part)) continue;
      judge(space, c, machine.fair(space.program().machine(space.state(space.members()[part.begin]))), p);
    }
    return true;
  }

  Expected<bool> with_tables(const axb::Test& test, Tables& tables) {
    auto end = space.explore(test, Rider::started, nullptr, options.max_states, nullptr);
    if (!end) return std::unexpected(end.error());
    if (*end != Space::End::complete) return false;
    space.find_components();
    for (uint32_t m : tables.closed) verdicts[m] = {true, true};
    for (uint32_t c = 0; c < space.components().size(); ++c) {
      const Space::Component& part = space.components()[c];
      if (!has_cycle(part)) continue;
      const uint64_t* state = space.state(space.members()[part.begin]);
      const fair::ThreadSet live = space.program().live(state), started = space.program().started(state);
      struct {
        fair::ThreadSet fair;
        bool starves;
      } known[4];  // models often agree on F
      uint32_t knowns = 0;
      for (size_t k = 0; k < tables.closed.size(); ++k) {
        Pair& p = verdicts[tables.closed[k]];
        if (!p.strong) continue;
        const fair::ThreadSet fair = tables.forms[k].look_up(live, started);
        if (!starves_weakly(part, fair)) continue;
        p.weak = false;
        bool found = false;
        for (uint32_t i = 0; i < knowns && !found; ++i)
          if (known[i].fair == fair) {
            p.strong = !known[i].starves;
            found = true;
          }
        if (found) continue;
        p.strong = !starves_strongly(space, c, fair);
        if (knowns < std::size(known)) known[knowns++] = {fair, !p.strong};
      }
    }
    // Beyond the tables, well-formedness is known only now.
    for (size_t k = 0; k < tables.closed.size();) {
      if (tables.forms[k].check_all(space)) {
        ++k;
        continue;
      }
      tables.open.push_back(tables.closed[k]);
      tables.closed.erase(tables.closed.begin() + static_cast<ptrdiff_t>(k));
      tables.forms.erase(tables.forms.begin() + static_cast<ptrdiff_t>(k));
    }
    return true;
  }
};

Decider::Decider(std::vector<fair::Model> models, const Options& options) : impl_(std::make_unique<Impl>()) {
  impl_->models = std::move(models);
  impl_->options = options;
  impl_->machines.resize(impl_->models.size());
  impl_->verdicts.resize(impl_->models.size());
}
Decider::~Decider() = default;
Decider::Decider(Decider&&) noexcept = default;
Decider& Decider::operator=(Decider&&) noexcept = default;

const std::vector<fair::Model>& Decider::models() const { return impl_->models; }

Expected<std::optional<std::span<const Pair>>> Decider::operator()(const axb::Test& test) {
  Impl::Tables& tables = impl_->tables_for(static_cast<uint32_t>(test.threads.size()));
  if (!tables.closed.empty()) {
    auto done = impl_->with_tables(test, tables);
    if (!done) return std::unexpected(done.error());
    if (!*done) return std::nullopt;
  }
  for (uint32_t m : tables.open) {
    auto done = impl_->with_machine(test, m);
    if (!done) return std::unexpected(done.error());
    if (!*done) return std::nullopt;
  }
  return std::span<const Pair>(impl_->verdicts);
}

Expected<std::optional<Pair>> decide_both(const axb::Test& test, const fair::Model& model, const Options& options) {
  Decider decider({model}, options);
  auto verdicts = decider(test);
  if (!verdicts) return std::unexpected(verdicts.error());
  if (!*verdicts) return std::nullopt;
  return (**verdicts)[0];
}

Size size_of(const axb::Test& test) {
  Space space;
  auto end = space.explore(test, Rider::nothing, nullptr, UINT64_MAX, nullptr);
  FENCEPOST_INVARIANT(end && *end == Space::End::complete, "a program has fewer than 2^32 reachable states");
  return {space.states(), space.transitions()};
}

// ---- one test, with its lasso ----------------------------------------------------------------------------------
// Always by the machine, whose states tell apart no more than the model does: the shortest prefix depends on it.

static void tell(const fair::Model& model, Fairness fairness, Space& space, const std::vector<uint32_t>& starving) {
  uint32_t cycles = 0;
  uint64_t members = 0;
  for (const Space::Component& c : space.components()) cycles += has_cycle(c) ? 1 : 0;
  for (const uint32_t c : starving) members += space.components()[c].end - space.components()[c].begin;
  trace::say(trace::Room::oracle,
             model.name() + ", " + name(fairness) + " fairness: " + std::to_string(space.states()) + " states, " +
                 std::to_string(space.transitions()) + " transitions; " + std::to_string(cycles) +
                 " components hold a cycle, " + std::to_string(starving.size()) + " of them, with " +
                 std::to_string(members) + " states, may be gone round for ever");
}

Expected<Answer> decide(const axb::Test& test, const fair::Model& model, Fairness fairness, const Options& options,
                        Job& job, bool want_lasso) {
  if (auto valid = axb::validate(test); !valid) return std::unexpected(valid.error());
  const auto threads = static_cast<uint32_t>(test.threads.size());
  fair::ThreadSet live = 0;
  for (uint32_t t = 0; t < threads; ++t) live |= fair::ThreadSet{!test.threads[t].code.empty()} << t;
  fair::Machine machine(model, threads, live);
  Space space;
  auto end = space.explore(test, Rider::machine, &machine, options.max_states, &job);
  if (!end) return std::unexpected(end.error());

  Answer answer;
  answer.states = space.states();
  answer.transitions = space.transitions();
  if (*end != Space::End::complete) {
    answer.verdict.status = Status::gave_up;
    answer.verdict.detail = *end == Space::End::out_of_time
                                ? "the budget ran out"
                                : "more than " + std::to_string(options.max_states) + " states";
    return answer;
  }
  space.find_components();
  const FairAt fair_at = [&](uint32_t s) { return machine.fair(space.program().machine(space.state(s))); };
  std::vector<uint32_t> starving;  // components
  for (uint32_t c = 0; c < space.components().size(); ++c) {
    const Space::Component& part = space.components()[c];
    if (!has_cycle(part)) continue;
    const fair::ThreadSet fair = fair_at(space.members()[part.begin]);
    if (fairness == Fairness::weak ? starves_weakly(part, fair) : starves_strongly(space, c, fair))
      starving.push_back(c);
  }
  answer.verdict.status = starving.empty() ? Status::holds : Status::fails;
  if (trace::on(trace::Room::oracle)) tell(model, fairness, space, starving);
  if (!starving.empty() && want_lasso) {
    answer.lasso = find_lasso(test, space, starving, fair_at, fairness);
    replay(test, model, fairness, *answer.lasso);
  }
  return answer;
}

}  // namespace fencepost::oracle
