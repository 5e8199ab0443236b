#include "prove/phases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fencepost::prove {

namespace {

using Step = Phases::Step;

constexpr const char *k_phases = "is passed in phases that can be told apart",
                     *k_count = "is initialised for as many arrivals as come",
                     *k_waits = "is waited at for the phase of the arrival before",
                     *k_bytes = "is told of as many bytes as are expected there",
                     *k_round = "has a phase of all threads in each iteration",
                     *k_who = "is used by threads that follow from the ids alone";

// One object: what each thread knows, and what has come for each phase.
struct Object {
  uint64_t count = 0;
  bool bytes = false;            // some are expected or copied
  std::vector<uint32_t> known;   // by thread: so many phases are complete
  std::vector<uint32_t> made;    // by thread: and so many that it has completed alone
  std::vector<int64_t> arrived;  // by thread: for which phase it has arrived last; -1: none
  struct Phase {
    uint64_t arrivals = 0, expected = 0, copied = 0;
    std::vector<uint32_t> known;  // by object: what those who arrived knew
  };
  std::map<uint32_t, Phase> phases;
  std::string why;
};

class Count {
 public:
  Count(Run& run, std::vector<Step> steps, const std::vector<uint64_t>& counts, const Phases::Round* round)
      : run_(run), pool_(run.pool()), steps_(std::move(steps)), round_(round), under_(run.pool().yes()) {
    std::ranges::stable_sort(steps_, {}, &Step::position);
    threads_ = run_.threads_by_ids();
    any_size_ = threads_.empty();
    number_ = any_size_ ? 1 : threads_.size();  // one stands for all
    const auto arrival = std::ranges::find(steps_, Step::arrive, &Step::kind);
    if (arrival != steps_.end()) under_ = condition(*arrival);
    for (const uint64_t n : counts) {
      Object o;
      o.count = n == 0 ? number_ : n;
      o.known.assign(number_, 0);
      o.made.assign(number_, 0);
      o.arrived.assign(number_, -1);
      objects_.push_back(std::move(o));
    }
    for (const Step& s : steps_) {
      if (s.kind == Step::meet) continue;
      Object& o = objects_[s.object];
      o.bytes = o.bytes || s.kind == Step::copy || s.expects;
      // Of a group of any size only: whoever comes is all.
      if (any_size_ && counts[s.object] != 0) fail(o, k_count);
    }
    phase_.assign(steps_.size(), std::nullopt);
    seen_.assign(steps_.size(), 0);
    come_.assign(steps_.size(), 0);
  }

  Phases::Answer run(uint32_t before) {
    for (const Step& s : steps_) {
      const std::optional<Takers> takes = who(s);
      takes_.push_back(takes.value_or(Takers{}));
      // Some may have waited: nothing is taken from it.
      if (!takes && s.kind != Step::wait && s.kind != Step::meet) fail(objects_[s.object], k_who);
    }
    if (fine()) all_go_on();
    for (Object& o : objects_)
      for (const auto& [n, phase] : o.phases) complete(o, phase);
    Phases::Answer answer;
    if (fine() && round_ != nullptr) answer.phases = end_of_round();
    if (fine()) record(before);
    for (const Object& o : objects_) answer.whys.push_back(o.why);
    if (fine() && round_ != nullptr) answer.claims = claims(answer.phases);
    return answer;
  }

 private:
  using Takers = std::vector<uint8_t>;

  bool fine() const {
    return std::ranges::all_of(objects_, [](const Object& o) { return o.why.empty(); });
  }
  static void fail(Object& o, const char* why) {
    if (o.why.empty()) o.why = why;
  }

  // The guard with the ids of a thread; none: it hangs on what is the thread's own.
  Term with(const Step& s, const Run::Ids& ids) const {
    const Term one = run_.with_ids(s.guard[0], 0, ids), other = run_.with_ids(s.guard[1], 1, ids);
    return one == other ? one : Term{};
  }

  // On which condition, the same for all threads, a step is taken by those who take it. Arrivals and waits are all
  // taken on the same one, or not at all.
  Term condition(const Step& s) const {
    if (any_size_) return s.guard[0] == s.guard[1] ? s.guard[0] : pool_.yes();
    for (const Run::Ids& ids : threads_)
      if (const Term g = with(s, ids); g && !pool_.is_false(g)) return g;
    return pool_.yes();
  }

  // Which threads take the step; none: it does not follow from their ids.
  std::optional<Takers> who(const Step& s) const {
    if (run_.always(s.guard) && (s.kind == Step::meet || s.kind == Step::both || pool_.is_true(under_)))
      return Takers(number_, 1);
    if (any_size_) return s.guard == Run::both(under_) ? std::optional(Takers(number_, 1)) : std::nullopt;
    Takers takes;
    for (const Run::Ids& ids : threads_) {
      const Term g = with(s, ids);
      if (!g || !(pool_.is_false(g) || g == under_)) return std::nullopt;
      takes.push_back(g == under_ ? 1 : 0);
    }
    if (s.kind == Step::meet && std::ranges::count(takes, 0) != 0) return std::nullopt;
    return takes;
  }

  // Each thread goes as far as it can, until no one gets on.
  void all_go_on() {
    std::vector<size_t> next(number_, 0);
    std::vector<size_t> come(number_, 0);  // the barrier of the group that it has come to, and one more
    const auto passes = [&](size_t t) {
      const size_t k = next[t];
      const Step& s = steps_[k];
      if (takes_[k].empty() || takes_[k][t] == 0) return true;
      if (s.kind != Step::meet && s.kind != Step::both) return step(k, t);
      if (std::exchange(come[t], k + 1) != k + 1 && ++come_[k] == number_) s.kind == Step::meet ? meet() : both(k);
      return come_[k] == number_;
    };
    for (bool more = true; more && fine();) {
      more = false;
      for (size_t t = 0; t < number_; ++t)
        while (fine() && next[t] < steps_.size() && passes(t)) {
          ++next[t];
          more = true;
        }
    }
    if (!fine()) return;
    for (size_t t = 0; t < number_; ++t)
      if (next[t] < steps_.size()) stands(steps_[next[t]], t);
  }

  // Someone who does not get on.
  void stands(const Step& s, size_t t) {
    if (s.kind != Step::wait) return fail(objects_[s.kind == Step::meet ? 0 : s.object], k_waits);
    Object& o = objects_[s.object];
    const Object::Phase& phase = o.phases[meant(o, s, t).value_or(0)];
    if (phase.arrivals == 0) fail(o, k_waits);
    complete(o, phase);
    fail(o, k_waits);
  }

  static void complete(Object& o, const Object::Phase& phase) {
    if (phase.arrivals != o.count && phase.arrivals != 0) fail(o, k_count);
    if (phase.expected != phase.copied || (phase.expected != 0 && phase.arrivals == 0)) fail(o, k_bytes);
  }

  // The thread takes the step. False: it has to wait.
  bool step(size_t k, size_t t) {
    const Step& s = steps_[k];
    Object& o = objects_[s.object];
    std::optional<uint32_t> phase;
    if (s.kind == Step::wait) {
      phase = meant(o, s, t);
      if (!o.why.empty()) return false;
      if (phase && !waited(o, *phase, t)) return false;
    } else {
      phase = comes(o, s, t);
    }
    // One phase for all that take it.
    if (std::exchange(seen_[k], 1) != 0 && phase_[k] != phase) fail(o, k_phases);
    phase_[k] = phase;
    return true;
  }

  // What one knows all know.
  void meet() {
    for (Object& o : objects_) {
      const uint32_t most = *std::ranges::max_element(o.known);
      std::ranges::fill(o.known, most);
    }
  }

  void both(size_t k) {
    Object& o = objects_[steps_[k].object];
    const uint32_t phase = o.known[0];
    const bool alike = std::ranges::all_of(o.known, [&](uint32_t n) { return n == phase; });
    if (std::ranges::count(takes_[k], 0) != 0 || !alike || !pool_.is_true(under_) || o.phases[phase].arrivals != 0)
      return fail(o, k_phases);
    o.phases[phase].arrivals = number_;
    std::ranges::fill(o.arrived, phase);
    std::ranges::fill(o.known, phase + 1);
  }

  uint32_t comes(Object& o, const Step& s, size_t t) {
    const uint32_t number = std::max(o.known[t], o.made[t]);
    Object::Phase& phase = o.phases[number];
    if (s.kind == Step::copy) {
      phase.copied += s.bytes;
      return number;
    }
    if (std::exchange(o.arrived[t], number) == number) fail(o, k_phases);
    phase.arrivals += s.count;
    phase.expected += s.bytes;
    phase.known.resize(objects_.size(), 0);
    for (size_t q = 0; q < objects_.size(); ++q) phase.known[q] = std::max(phase.known[q], objects_[q].known[t]);
    if (s.count == o.count && !o.bytes && !any_size_) o.made[t] = number + 1;
    return number;
  }

  // Which phase the thread waits for. None: it gets a yes at once, or later than it has to.
  std::optional<uint32_t> meant(Object& o, const Step& s, size_t t) {
    if (s.token[0]) {
      const std::optional<uint32_t> of = given(s, t);
      if (!of) fail(o, k_waits);
      return of;
    }
    if (round_ != nullptr) return o.known[t];
    if (!pool_.is_constant(s.parity[0]) || s.parity[0] != s.parity[1] || pool_.value(s.parity[0]) > 1) {
      fail(o, k_waits);
      return std::nullopt;
    }
    return pool_.value(s.parity[0]) == (o.known[t] & 1) ? std::optional(o.known[t]) : std::nullopt;
  }

  // For which phase the thread has arrived when it was given the token.
  std::optional<uint32_t> given(const Step& wait, size_t t) const {
    for (size_t k = 0; k < steps_.size(); ++k) {
      const Step& s = steps_[k];
      if (s.kind == Step::arrive && s.object == wait.object && s.position < wait.position && s.token == wait.token &&
          !takes_[k].empty() && takes_[k][t] != 0)
        return phase_[k];
    }
    return std::nullopt;
  }

  bool waited(Object& o, uint32_t number, size_t t) {
    const Object::Phase& phase = o.phases[number];
    if (phase.arrivals != o.count || phase.expected != phase.copied) return false;
    for (size_t q = 0; q < phase.known.size(); ++q)
      objects_[q].known[t] = std::max(objects_[q].known[t], phase.known[q]);
    o.known[t] = std::max(o.known[t], number + 1);
    return true;
  }

  // How many phases there are of each object; what is known at the end is what was known at the beginning.
  uint32_t end_of_round() {
    std::optional<uint32_t> phases;
    bool full = !round_->full;
    for (size_t n = 0; n < objects_.size(); ++n) {
      Object& o = objects_[n];
      if (o.phases.empty()) continue;
      for (size_t t = 0; t < number_; ++t) {
        const uint32_t known = std::max(o.known[t], o.made[t]);
        if (phases.value_or(known) != known) fail(o, k_phases);
        phases = known;
      }
      for (const auto& [phase, what] : o.phases)
        if (phase >= *phases) fail(o, k_phases);
      full = full || all_meet(n);
    }
    const Pair whole{under_, under_};
    if (!full || !run_.implied(whole, round_->latch))
      for (Object& o : objects_)
        if (!o.phases.empty()) fail(o, k_round);
    return phases.value_or(0);
  }

  // There is a phase for which all threads arrive and wait.
  bool all_meet(size_t object) const {
    const auto of_all = [&](Step::Kind kind, uint32_t phase) {
      for (size_t k = 0; k < steps_.size(); ++k)
        if (steps_[k].kind == kind && steps_[k].object == object && phase_[k] == phase && !takes_[k].empty() &&
            std::ranges::count(takes_[k], 0) == 0)
          return true;
      return false;
    };
    return std::ranges::any_of(objects_[object].phases, [&](const auto& p) {
      return of_all(Step::arrive, p.first) && of_all(Step::wait, p.first);
    });
  }

  std::vector<Phases::Claim> claims(uint32_t phases) const {
    std::vector<Phases::Claim> list;
    for (size_t k = 0; k < steps_.size(); ++k) {
      const Step& s = steps_[k];
      if (s.kind != Step::wait || !s.parity[0] || !phase_[k]) continue;
      std::vector<Term> failing;
      for (const size_t t : order::k_both) {
        const Term odd = phases % 2 == 0 ? pool_.no() : pool_.extract(round_->k[t], 0, 1),
                   bit = *phase_[k] % 2 == 0 ? odd : pool_.not_(odd);
        failing.push_back(pool_.all(s.guard[t], pool_.ne(s.parity[t], pool_.zext(bit, pool_.width(s.parity[t])))));
      }
      list.push_back({s.position, pool_.any(std::move(failing))});
    }
    return list;
  }

  void record(uint32_t before) {
    auto& x = run_.trace;
    for (size_t k = 0; k < steps_.size(); ++k) {
      const Step& s = steps_[k];
      if (!phase_[k] || s.kind == Step::both) continue;
      x.phases.push_back({s.position, s.guard, s.object, before + *phase_[k], s.kind == Step::wait, s.copies, s.event});
      if (s.kind != Step::wait) continue;
      // The copies of a thread that waits for them itself.
      for (size_t c = 0; c < steps_.size(); ++c)
        if (steps_[c].kind == Step::copy && steps_[c].object == s.object && phase_[c] && *phase_[c] <= *phase_[k])
          x.waits.push_back({s.position, s.guard, steps_[c].event, {}});
    }
  }

  Run& run_;
  Pool& pool_;
  std::vector<Step> steps_;
  const Phases::Round* round_;
  Term under_;  // on which condition the steps are taken
  std::vector<Run::Ids> threads_;
  bool any_size_ = false;
  size_t number_ = 0;
  std::vector<Object> objects_;
  // By step: which phase it is of, whether a thread has taken it, who takes it (none: not known), and how many have
  // come to a barrier of the group.
  std::vector<std::optional<uint32_t>> phase_;
  std::vector<uint8_t> seen_;
  std::vector<Takers> takes_;
  std::vector<size_t> come_;
};

}  // namespace

Phases::Answer Phases::decide(Run& run, std::vector<Step> steps, const std::vector<uint64_t>& counts,
                              const Round* round, uint32_t before) {
  return Count(run, std::move(steps), counts, round).run(before);
}

}  // namespace fencepost::prove
