// That threads which wait at rings of barrier objects do not wait for ever: conditions 4 to 6 of rings.h.
#include "prove/ring_proof.h"

namespace fencepost::prove {

// Each arrival that is waited for comes.
void RingProof::comes(const Site& w) {
  for (const Site& y : sites_) {
    if (y.use->waits || y.ring != w.ring || !y.numbered) continue;
    const int64_t by = w.number - y.number;  // iteration k + by
    if (by > 0) return fail(w.ring, k_often);
    const Term v = variable_of(y);
    if (!v) continue;
    const auto before = number(static_cast<uint64_t>(-by));
    const Term k = k_of(w), at = pool_.sub(k, before);
    const uint8_t bits = pool_.width(v);
    std::vector<Term> failing{w.use->guard[0], pool_.ule(before, k)};
    Term there = in_iteration(y.by_count, v, bits < pool_.width(at) ? pool_.extract(at, 0, bits) : at);
    if (bits < pool_.width(at)) there = pool_.all(there, pool_.ule(at, number(formula::ones(bits))));
    failing.push_back(pool_.not_(there));
    claim(w, std::move(failing), claims_);
  }
}

// What a condition of a loop is for those who go through it, beside the ids; none: it hangs on more.
Term RingProof::for_all(const Rings::Loop& loop, Term condition, Takers* who) const {
  Term common;
  const Term v = variable(loop.k[0]);
  const auto list = takers(condition, [&](Term g) {
    if (!common) common = g;
    return g == common && by_count_alone(v, g);
  });
  if (list && who != nullptr) *who = *list;
  return list && common ? common : Term{};
}

void RingProof::equally_often() {
  std::vector<Term> entry, latch;
  std::vector<Takers> who(loops_.size());
  for (size_t n = 0; n < loops_.size(); ++n) {
    entry.push_back(for_all(loops_[n], loops_[n].entry[0], &who[n]));
    latch.push_back(for_all(loops_[n], loops_[n].latch[0], nullptr));
  }
  const auto alike = [&](size_t a, size_t b) {
    const Term v = variable(loops_[a].k[0]), w = variable(loops_[b].k[0]);
    if (!entry[a] || !latch[a] || entry[a] != entry[b]) return false;
    if (!v || !w) return !v && !w && latch[a] == latch[b];
    return pool_.width(v) == pool_.width(w) && in_iteration(latch[b], w, v) == latch[a];
  };
  const auto apart = [&](size_t a, size_t b) {
    if (a == b) return true;
    const auto [first, last] = std::minmax(loops_[a].last, loops_[b].first);
    if (std::ranges::any_of(meetings_, [&](uint32_t m) { return first < m && m < last; })) return true;
    for (size_t t = 0; t < who[a].size() && t < who[b].size(); ++t)
      if (who[a][t] != 0 && who[b][t] != 0) return false;
    return true;
  };
  for (const Site& s : sites_)
    for (const Site& other : sites_) {
      const size_t a = s.use->loop, b = other.use->loop;
      if (fine(s) && s.ring == other.ring && !alike(a, b)) fail(s.ring, k_often);
      if (fine(s) && !apart(std::min(a, b), std::max(a, b))) fail(s.ring, k_circle);
    }
}

void RingProof::no_circle() {
  constexpr int64_t k_none = -(int64_t{1} << 40), k_far = int64_t{1} << 40;
  const size_t n = sites_.size();
  // The latest iteration, as far behind that of the one, which it waits for.
  std::vector<std::vector<int64_t>> far(n, std::vector<int64_t>(n, k_none));
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      const Site &s = sites_[a], &before = sites_[b];
      if (s.use->loop == before.use->loop) far[a][b] = before.use->position < s.use->position ? 0 : -1;
      if (s.ring == before.ring && s.use->waits && !before.use->waits && s.numbered && before.numbered)
        far[a][b] = std::max(far[a][b], s.number - before.number);
    }
  for (size_t m = 0; m < n; ++m)
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b)
        if (far[a][m] > k_none && far[m][b] > k_none)
          far[a][b] = std::max(far[a][b], std::clamp(far[a][m] + far[m][b], k_none + 1, k_far));
  for (size_t a = 0; a < n; ++a)
    if (far[a][a] >= 0 && fine(sites_[a])) fail(sites_[a].ring, k_circle);
}

// Its next phase is not complete before the wait is over: then the parity would be the one before, again. It needs an
// arrival of the thread itself behind the wait: at this ring, or at one at which someone waits who arrives at this one.
void RingProof::in_time(const Site& w) {
  const auto who = takers(w.use->guard[0], [](Term) { return true; });
  const int64_t next = w.number + static_cast<int64_t>(stages(w));
  std::optional<Claims> best;
  const auto take = [&](Claims c) {
    if (!best || c.size() < best->size()) best = std::move(c);
  };
  for (const Site& u : sites_) {
    if (!who || u.use->waits || !u.numbered || u.use->loop != w.use->loop) continue;
    bool all = true;
    for (size_t t = 0; t < who->size() && t < u.takers.size(); ++t) all = all && (who->at(t) == 0 || u.takers[t] != 0);
    if (!all) continue;
    const int64_t behind = u.number + (w.use->position < u.use->position ? 0 : 1);
    for (const Site& x : sites_) {
      if (x.use->waits || !x.numbered || x.ring != w.ring) continue;
      if (&x == &u && behind <= next) take({});
      for (const Site& v : sites_) {
        if (!v.use->waits || !v.numbered || v.ring != u.ring || v.use->loop != x.use->loop) continue;
        const int64_t b = back(v, x);
        if (behind > next - x.number - b + v.number) continue;
        Claims needs;
        both_come(x, v, b - v.number, needs);
        take(std::move(needs));
      }
    }
  }
  if (!best) return fail(w.ring, k_late);
  claims_.insert(claims_.end(), best->begin(), best->end());
}

}  // namespace fencepost::prove
