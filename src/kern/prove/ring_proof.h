#pragma once
// Internal to rings.cpp: the proof that rings.h speaks of, for all rings of a kernel.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formula/solve.h"
#include "prove/rings.h"
#include "prove/turns.h"

namespace fencepost::prove {

inline constexpr const char *k_stage = "is one of a ring that each iteration takes in turn",
                            *k_begun = "is initialised before its loop",
                            *k_count = "is initialised for as many arrivals as come",
                            *k_waits = "is waited at for the phase that its stage has come to",
                            *k_order = "is arrived at for a phase when the one before is known to be complete",
                            *k_who = "is used by threads that follow from the ids alone",
                            *k_often = "is used in loops that go round equally often",
                            *k_circle = "is waited at by no one for whom the others wait",
                            *k_late = "is waited at by no one who may come when the next phase is over too";

inline int64_t rounds(int64_t number, size_t stages) {
  const auto n = static_cast<int64_t>(stages);
  return (number % n + n) % n;
}
inline int64_t laps(int64_t number, size_t stages) {
  return (number - rounds(number, stages)) / static_cast<int64_t>(stages);
}

// The proof for all rings of a kernel.
class RingProof {
 public:
  RingProof(Rings& rings, const Rings::Places& places, std::vector<Rings::Single>& singles,
            std::vector<Phases::Step>& outside, const std::vector<uint32_t>& meetings)
      : run_(rings.run_),
        pool_(rings.pool_),
        uses_(rings.uses_),
        loops_(rings.loops_),
        places_(places),
        singles_(singles),
        outside_(outside),
        meetings_(meetings),
        threads_(run_.threads_by_ids()) {
    for (const Rings::Use& u : uses_) sites_.push_back({.use = &u});
  }

  std::vector<Phases::Claim> run() {
    for (Site& s : sites_) find_ring(s);
    for (Ring& r : rings_)
      if (r.why == nullptr) singles_of(r);
    for (Site& s : sites_)
      if (fine(s)) (s.use->waits ? number_of_wait(s) : who_arrives(s));
    for (Site& s : sites_)
      if (fine(s) && s.use->waits && s.use->token[0]) number_of_token(s);
    for (size_t r = 0; r < rings_.size(); ++r)
      if (rings_[r].why == nullptr) counts(r);
    for (Site& s : sites_)
      if (fine(s) && !s.use->waits) known_before(s);
    for (Site& s : sites_)
      if (fine(s) && s.numbered && s.use->waits) comes(s);
    equally_often();
    no_circle();
    for (const Site& s : sites_)
      if (fine(s) && s.numbered && s.use->waits) in_time(s);
    if (std::ranges::any_of(uses_, &Rings::Use::copies)) pass_on();
    for (const Ring& r : rings_)
      if (r.why != nullptr) run_.unsupported.insert("whether " + r.name + " " + r.why);
    if (std::ranges::all_of(rings_, [](const Ring& r) { return r.why == nullptr; })) record();
    return std::move(claims_);
  }

 private:
  using Claims = std::vector<Phases::Claim>;
  using Takers = std::vector<uint8_t>;
  struct Ring {
    ir::RegionId region;
    std::vector<uint64_t> order;  // offsets of its objects, as they are gone through
    std::string name;
    const char* why = nullptr;  // what is not shown
    bool begun = false;         // its first object is the one that a thread arrives at first
    uint64_t before = 0;        // arrivals of each thread before its loop
    uint32_t first_loop = ~0u;
  };
  struct Site {
    const Rings::Use* use = nullptr;
    size_t ring = ~size_t{0};
    uint64_t first = 0;  // which object it is of in iteration 0
    bool numbered = false;
    int64_t number = 0;  // in iteration 0
    Takers takers;       // of an arrival; one for all, if the size of the group is not known
    Term by_count;       // on what it hangs for those who come, beside the ids
  };

  bool fine(const Site& s) const { return s.ring != ~size_t{0} && rings_[s.ring].why == nullptr; }
  void fail(size_t ring, const char* why) {
    if (rings_[ring].why == nullptr) rings_[ring].why = why;
  }
  size_t stages(const Site& s) const { return rings_[s.ring].order.size(); }
  Term k_of(const Site& s, size_t t = 0) const { return loops_[s.use->loop].k[t]; }
  // The variable that counts iterations; none if the loop has at most one iteration, and its count is a constant.
  Term variable(Term k) const {
    const formula::Node& n = pool_[k];
    return n.op == formula::Op::variable ? k : n.op == formula::Op::zext ? n.kids[0] : Term{};
  }
  Term variable_of(const Site& s) const { return variable(k_of(s)); }
  Term number(uint64_t n) const { return pool_.constant(n, pool_.width(loops_[0].k[0])); }

  void claim(const Site& s, std::vector<Term> failing, Claims& out) const {
    const Term all = pool_.all(std::move(failing));
    if (!pool_.is_false(all)) out.push_back({s.use->position, all});
  }
  // The numbers that were read hold in each iteration that comes there.
  bool holds(const Site& s, const Turn& turn) {
    claim(s,
          {s.use->guard[0], pool_.any(pool_.ult(k_of(s), number(turn.least)), pool_.ult(number(turn.most), k_of(s)))},
          claims_);
    return true;
  }
  // The same as so many iterations before, or (`k`) in another one.
  Term earlier(const Site& s, Term t, uint64_t by, size_t thread = 0) const {
    const Term v = variable(k_of(s, thread));
    return v ? in_iteration(t, v, pool_.sub(v, pool_.constant(by, pool_.width(v)))) : t;
  }
  Term in_iteration(Term t, Term v, Term k) const {
    std::unordered_map<uint32_t, Term> memo{{v.id, k}};
    return pool_.substitute(t, memo);
  }
  // Of nothing but the launch, the parameters and the count of iterations.
  bool by_count_alone(Term v, Term t) const {
    return std::ranges::all_of(formula::names(pool_, t),
                               [&](uint64_t n) { return n < run_.common_variables || (v && n == pool_.value(v)); });
  }

  // ---- which ring, and which of its objects

  void find_ring(Site& s) {
    const Rings::Use& u = *s.use;
    const std::string name = "'" + run_.module().region(u.region).name + "'";
    const auto open = [&](const char* why) { run_.unsupported.insert("whether " + name + " " + why); };
    const std::optional<Turn> turn = turn_of(pool_, u.place[0], variable_of(s));
    if (!turn) return open(k_stage);
    std::vector<uint64_t> sorted = turn->values;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || !holds(s, *turn)) return open(k_stage);
    for (size_t r = 0; r < rings_.size() && s.ring == ~size_t{0}; ++r) {
      Ring& ring = rings_[r];
      const auto at = std::ranges::find(ring.order, turn->values[0]);
      const bool shares = ring.region == u.region && std::ranges::any_of(ring.order, [&](uint64_t o) {
                            return std::ranges::binary_search(sorted, o);
                          });
      if (!shares) continue;
      s.ring = r;
      s.first = static_cast<uint64_t>(at - ring.order.begin());
      bool alike = at != ring.order.end() && ring.order.size() == sorted.size();
      for (size_t i = 0; i < sorted.size() && alike; ++i)
        alike = turn->values[i] == ring.order[(i + s.first) % sorted.size()];
      if (!alike) fail(r, k_stage);
    }
    if (s.ring == ~size_t{0}) {
      s.ring = rings_.size();
      rings_.push_back({.region = u.region, .order = turn->values, .name = name});
    }
    Ring& ring = rings_[s.ring];
    ring.first_loop = std::min(ring.first_loop, loops_[u.loop].first);
  }

  // Its objects are initialised, all alike; what is done to them before the loops.
  void singles_of(Ring& r) {
    std::optional<uint64_t> count;
    for (const uint64_t offset : r.order) {
      const auto at = places_.find({r.region.index, offset});
      Rings::Single* o = at == places_.end() ? nullptr : &singles_[at->second];
      const bool begun = o != nullptr && o->begun != 0 &&
                         std::ranges::any_of(meetings_, [&](uint32_t m) { return o->begun < m && m < r.first_loop; });
      if (!begun) r.why = k_begun;
      if (o == nullptr) return;
      o->taken = true;
      if (count.value_or(o->count) != o->count) r.why = k_count;
      count = o->count;
    }
  }

  // ---- who arrives

  // For which threads it is not false; none: it does not follow from their ids.
  std::optional<Takers> takers(Term guard, const std::function<bool(Term)>& alike) const {
    if (threads_.empty()) {
      // One stands for all: no id may say who comes.
      const Run::Ids first{0, 0, 0}, other{1, 1, 1};
      const bool same = run_.with_ids(guard, 0, first) == guard && run_.with_ids(guard, 0, other) == guard;
      return same && alike(guard) ? std::optional(Takers{1}) : std::nullopt;
    }
    Takers list;
    for (const Run::Ids& ids : threads_) {
      const Term g = run_.with_ids(guard, 0, ids);
      if (!pool_.is_false(g) && !alike(g)) return std::nullopt;
      list.push_back(pool_.is_false(g) ? 0 : 1);
    }
    return list;
  }

  void who_arrives(Site& s) {
    const Term guard = s.use->guard[0];
    const auto list = takers(guard, [&](Term g) {
      if (!s.by_count) s.by_count = g;
      return g == s.by_count && by_count_alone(variable_of(s), g);
    });
    if (!list || std::ranges::count(*list, 1) == 0) return fail(s.ring, k_who);
    s.takers = *list;
    // Up to some iteration.
    claim(s, {guard, pool_.ule(number(1), k_of(s)), pool_.not_(earlier(s, guard, 1))}, claims_);
    Ring& r = rings_[s.ring];
    if (!r.begun) start(r, s);
    s.numbered = true;
    s.number = static_cast<int64_t>(r.before);
    if (s.first != r.before % r.order.size()) fail(s.ring, k_order);
  }

  // The arrivals before the loop: at one object after the other, by all who arrive in it.
  void start(Ring& r, const Site& s) {
    r.begun = true;
    std::vector<uint64_t> before;
    for (const Phases::Step& step : outside_) {
      if (step.kind == Phases::Step::meet) continue;
      const auto place = std::ranges::find_if(places_, [&](const auto& p) { return p.second == step.object; });
      if (place->first.first != r.region.index || std::ranges::find(r.order, place->first.second) == r.order.end())
        continue;
      // A first wait of a producer orders nothing.
      if (step.kind == Phases::Step::wait && step.position < r.first_loop && run_.every(step.parity, 1)) continue;
      const auto list = takers(step.guard[0], [&](Term g) { return pool_.is_true(g); });
      if (step.kind != Phases::Step::arrive || step.expects || step.position > r.first_loop || !list ||
          *list != s.takers || step.count != s.use->count)
        return void(r.why = k_order);
      before.push_back(place->first.second);
      before_.push_back(
          {step.position, step.guard, static_cast<size_t>(&r - rings_.data()), before.size() - 1, step.copies});
    }
    // What is done there first is at the first of its objects.
    const uint64_t first = before.empty() ? r.order[s.first] : before[0];
    const auto turn = std::ranges::find(r.order, first) - r.order.begin();
    std::ranges::rotate(r.order, r.order.begin() + turn);
    for (Site& other : sites_)
      if (other.ring == s.ring)
        other.first = (other.first + r.order.size() - static_cast<size_t>(turn)) % r.order.size();
    for (size_t i = 0; i < before.size(); ++i)
      if (before[i] != r.order[i % r.order.size()]) r.why = k_order;
    if (before.size() > r.order.size()) r.why = k_order;
    r.before = before.size();
  }

  void counts(size_t ring) {
    Ring& r = rings_[ring];
    std::vector<uint64_t> by_thread(threads_.empty() ? 1 : threads_.size(), 0);
    uint64_t all = 0;
    bool once = true;
    for (const Site& s : sites_) {
      if (s.ring != ring || s.use->waits) continue;
      for (size_t t = 0; t < by_thread.size() && t < s.takers.size(); ++t) {
        if (s.takers[t] == 0) continue;
        once = once && by_thread[t] == 0;
        by_thread[t] += s.use->count;
        all += s.use->count;
      }
    }
    if (!once) return fail(ring, k_order);
    for (const uint64_t offset : r.order) {
      const std::vector<uint8_t>& who = singles_[places_.at({r.region.index, offset})].who;
      for (size_t t = 0; t < who.size() && t < by_thread.size(); ++t)
        if ((who[t] != 0) != (by_thread[t] != 0)) return fail(ring, k_count);
    }
    const uint64_t count = singles_[places_.at({r.region.index, r.order[0]})].count;
    if (all == 0 || (threads_.empty() ? count != 0 || all != 1 : count != all)) fail(ring, k_count);
  }

  // ---- who waits

  // The last number that is allowed.
  void number_of_wait(Site& s) {
    const Rings::Use& u = *s.use;
    if (u.token[0]) return;
    if (!rings_[s.ring].begun) start_of(s.ring);
    const std::optional<Turn> parity = turn_of(pool_, u.parity[0], variable_of(s));
    if (!fine(s)) return;
    // Besides, its guard may hang on the ids.
    if (!parity || !by_count_alone(variable_of(s), u.guard[0])) return fail(s.ring, k_waits);
    const size_t n = stages(s);
    const auto r = static_cast<int64_t>(s.first);
    for (int64_t w = r == 0 ? 0 : r - static_cast<int64_t>(n); w > -2 * static_cast<int64_t>(n) && !s.numbered;
         w -= static_cast<int64_t>(n)) {
      const uint64_t size = std::lcm(2 * n, parity->values.size());
      bool fits = true;
      for (uint64_t i = parity->least; i < parity->least + size && i <= parity->most && fits; ++i)
        fits = parity->values[i % parity->values.size()] ==
               static_cast<uint64_t>(rounds(laps(static_cast<int64_t>(i) + w, n), 2));
      if (!fits) continue;
      s.numbered = true;
      s.number = w;
    }
    if (!s.numbered) return fail(s.ring, k_waits);
    holds(s, *parity);
    const auto from = static_cast<uint64_t>(static_cast<int64_t>(n) - s.number);
    claim(s, {u.guard[0], pool_.ule(number(from), k_of(s)), pool_.not_(earlier(s, u.guard[0], n))}, claims_);
  }

  // A ring whose waits come before its arrivals in the text.
  void start_of(size_t ring) {
    for (Site& s : sites_)
      if (s.ring == ring && !s.use->waits && rings_[ring].why == nullptr && !rings_[ring].begun) who_arrives(s);
    if (!rings_[ring].begun) fail(ring, k_count);
  }

  // For the phase of an arrival of the same iteration.
  void number_of_token(Site& s) {
    for (const Site& a : sites_) {
      const Rings::Use &u = *s.use, &v = *a.use;
      if (v.waits || a.ring != s.ring || v.loop != u.loop || v.position > u.position || v.token != u.token ||
          v.place != u.place || !a.numbered)
        continue;
      s.numbered = true;
      s.number = a.number;
      claim(s, {u.guard[0], pool_.not_(v.guard[0])}, claims_);
      return;
    }
    fail(s.ring, k_waits);
  }

  // ---- that the phase before is complete

  // So many iterations before this one does the wait stand that comes before the arrival.
  static int64_t back(const Site& wait, const Site& arrival) {
    return wait.use->position < arrival.use->position ? 0 : 1;
  }
  // Who comes to the arrival in iteration `from` or later has come to the wait before it.
  void both_come(const Site& arrival, const Site& wait, int64_t from, Claims& out) const {
    const auto b = static_cast<uint64_t>(back(wait, arrival));
    const Term w = b == 0 ? wait.use->guard[0] : earlier(wait, wait.use->guard[0], b);
    const auto first = static_cast<uint64_t>(std::max<int64_t>(from, static_cast<int64_t>(b)));
    claim(arrival, {arrival.use->guard[0], pool_.ule(number(first), k_of(arrival)), pool_.not_(w)}, out);
  }

  void known_before(const Site& x) {
    const auto n = static_cast<int64_t>(stages(x));
    std::optional<Claims> best;
    const auto take = [&](Claims c) {
      if (!best || c.size() < best->size()) best = std::move(c);
    };
    for (const Site& w : sites_) {
      if (!w.use->waits || !w.numbered || w.use->loop != x.use->loop) continue;
      const int64_t b = back(w, x), got = w.number - b;  // behind it numbers up to k + got are complete
      if (b == 1 && x.number >= n) continue;             // in the first iteration it has not come yet
      Claims mine;
      both_come(x, w, n - x.number, mine);
      if (w.ring == x.ring) {
        if (got >= x.number - n) take(mine);
        continue;
      }
      for (const Site& y : sites_) {
        if (y.use->waits || !y.numbered || y.ring != w.ring) continue;
        for (const Site& z : sites_) {
          if (!z.use->waits || !z.numbered || z.ring != x.ring || z.use->loop != y.use->loop) continue;
          const int64_t c = back(z, y);
          // That arrival is of iteration k + got - y.number; before that, it is of none.
          const int64_t none = y.number - got + (c == 1 ? 1 : 0);
          if (got - y.number - c + z.number < x.number - n || none - 1 + x.number >= n) continue;
          Claims all = mine;
          both_come(y, z, c - z.number, all);
          take(std::move(all));
        }
      }
    }
    if (!best) return fail(x.ring, k_order);
    claims_.insert(claims_.end(), best->begin(), best->end());
  }

  // ---- that threads do not wait for ever (ring_progress.cpp)
  void comes(const Site& w);
  void equally_often();
  void no_circle();
  void in_time(const Site& w);
  Term for_all(const Rings::Loop& loop, Term condition, Takers* who) const;

  // Who has waited for a number is behind what those who arrive with it had waited for.
  struct Passed {
    const Site* wait = nullptr;
    size_t ring = 0;
    int64_t number = 0, from = 0;  // in iteration 0; in this iteration at first
  };
  void pass_on() {
    for (const Site& w : sites_)
      for (const Site& y : sites_) {
        if (!w.use->waits || !w.numbered || y.use->waits || !y.numbered || y.ring != w.ring) continue;
        for (const Site& z : sites_) {
          if (!z.use->waits || !z.numbered || z.ring == w.ring || z.use->loop != y.use->loop) continue;
          const int64_t b = back(z, y), by = w.number - y.number;
          Claims needs;
          both_come(y, z, b - z.number, needs);
          if (needs.empty()) passed_.push_back({&w, z.ring, by - b + z.number, std::max<int64_t>(b - by, 0)});
        }
      }
  }

  // ---- what the order of accesses is read from

  // Where the object with the number k + first stands; none: they do not lie in a row.
  Term place_of(const Ring& r, Term k, int64_t first, uint8_t width) const {
    const size_t n = r.order.size();
    const uint64_t step = n > 1 ? r.order[1] - r.order[0] : 0;
    for (size_t i = 0; i < n; ++i)
      if (r.order[i] != r.order[0] + i * step) return {};
    const Term at = pool_.urem(pool_.add(k, number(static_cast<uint64_t>(rounds(first, n)))), number(n));
    return pool_.add(pool_.constant(r.order[0], width), pool_.scale(pool_.extract(at, 0, width), step));
  }

  void record_passed() {
    for (const Passed& p : passed_) {
      const Rings::Use& u = *p.wait->use;
      order::RingRecord r;
      r.position = u.position;
      r.ring = p.ring;
      r.waits = true;
      r.at = p.number;
      r.loops = {loops_[u.loop].number};
      for (const size_t t : order::k_both) {
        const Term k = k_of(*p.wait, t);
        const auto since = [&](int64_t n) { return pool_.ule(number(static_cast<uint64_t>(n)), k); };
        r.k[t] = k;
        r.guard[t] = pool_.all(since(p.from), u.guard[t]);
        r.earlier[t] = pool_.all(since(p.from + 1), earlier(*p.wait, u.guard[t], 1, t));
        r.place[t] = place_of(rings_[p.ring], k, p.number, pool_.width(u.place[t]));
        lap_of(r, t, p.number, rings_[p.ring].order.size());
      }
      if (!r.place[0]) r.lap = {};
      run_.trace.rings.push_back(std::move(r));
    }
  }

  void lap_of(order::RingRecord& r, size_t t, int64_t first, size_t n) const {
    r.laps = laps(first, n);
    if (pool_[r.k[t]].high >= uint64_t{1} << 62) return;
    r.lap[t] = pool_.udiv(pool_.add(r.k[t], number(static_cast<uint64_t>(rounds(first, n)))), number(n));
  }

  void record() {
    record_passed();
    for (const Site& s : sites_) {
      if (!s.numbered) continue;
      const Rings::Use& u = *s.use;
      order::RingRecord r;
      r.position = u.position;
      r.ring = s.ring;
      r.waits = u.waits;
      r.copies = u.copies;
      r.guard = u.guard;
      r.at = s.number;
      r.place = u.place;
      r.loops = {loops_[u.loop].number};
      for (const size_t t : order::k_both) {
        const Term k = k_of(s, t);
        r.k[t] = k;
        r.earlier[t] = pool_.all(pool_.ule(number(1), k), earlier(s, u.guard[t], 1, t));
        lap_of(r, t, s.number, stages(s));
      }
      if (!r.lap[1]) r.lap = {};
      run_.trace.rings.push_back(std::move(r));
    }
    for (const auto& [position, guard, ring, at, copies] : before_) {
      order::RingRecord r;
      r.position = position;
      r.ring = ring;
      r.copies = copies;
      r.guard = guard;
      r.k = Run::both(number(0));
      r.at = static_cast<int64_t>(at);
      run_.trace.rings.push_back(std::move(r));
    }
  }

  struct Before {
    uint32_t position = 0;
    Pair guard;
    size_t ring = 0;
    uint64_t at = 0;
    bool copies = false;
  };
  Run& run_;
  Pool& pool_;
  const std::vector<Rings::Use>& uses_;
  const std::vector<Rings::Loop>& loops_;
  const Rings::Places& places_;
  std::vector<Rings::Single>& singles_;
  const std::vector<Phases::Step>& outside_;
  const std::vector<uint32_t>& meetings_;
  std::vector<Run::Ids> threads_;
  std::vector<Site> sites_;
  std::vector<Ring> rings_;
  std::vector<Before> before_;
  std::vector<Passed> passed_;
  Claims claims_;
};

}  // namespace fencepost::prove
