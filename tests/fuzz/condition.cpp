#include "condition.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace fencepost::fuzz {

namespace {

using Chosen = std::vector<size_t>;  // indices of observables

bool known(const prog::State& s) {
  return std::none_of(s.begin(), s.end(), [](const prog::StateValue& v) { return v.free; });
}

bool agree(const prog::State& a, const prog::State& b, const Chosen& on) {
  return std::all_of(on.begin(), on.end(),
                     [&](size_t i) { return a[i].free || b[i].free || a[i].value == b[i].value; });
}

bool occurs(const std::vector<prog::State>& states, const prog::State& s, const Chosen& on) {
  return std::any_of(states.begin(), states.end(), [&](const prog::State& other) { return agree(other, s, on); });
}

Atom atom(const prog::Observable& o, const prog::StateValue& v) {
  Atom a;
  a.thread = o.is_register ? static_cast<int>(o.thread) : -1;
  a.name = o.is_register ? o.text.substr(o.text.find(':') + 1) : o.text;
  a.value = prog::to_string(o, v.value);
  return a;
}

Conjunction conjunction(const Allowed& allowed, const prog::State& s, const Chosen& on) {
  Conjunction out;
  for (size_t i : on) out.push_back(atom(allowed.observables[i], s[i]));
  return out;
}

Chosen some(Rng& rng, size_t n, size_t most) {
  Chosen all(n);
  for (size_t i = 0; i < n; ++i) all[i] = i;
  for (size_t i = n; i > 1; --i) std::swap(all[i - 1], all[rng.below(i)]);
  all.resize(std::min<size_t>(n, 1 + rng.below(most)));
  return all;
}

// A state that the pivot model forbids and a set of observables on which it differs from every allowed one.
std::optional<std::pair<prog::State, Chosen>> forbidden(Rng& rng, const Allowed& allowed) {
  Chosen all(allowed.observables.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<const prog::State*> reasons;  // forbidden by axioms, not by the values that occur
  for (const prog::State& s : allowed.candidates)
    if (known(s) && !occurs(allowed.states, s, all)) reasons.push_back(&s);
  std::optional<prog::State> found;
  if (!reasons.empty() && rng.chance(0.9)) {
    found = *rng.pick(reasons);
  } else if (!allowed.states.empty()) {
    for (int attempt = 0; attempt < 20 && !found; ++attempt) {
      prog::State s = rng.pick(allowed.states);
      for (uint64_t k = 1 + rng.below(2); k > 0; --k) {
        const size_t i = rng.below(s.size());
        s[i] = rng.chance(0.7) ? rng.pick(allowed.states)[i] : prog::StateValue{false, rng.below(3)};
      }
      if (known(s) && !occurs(allowed.states, s, all)) found = s;
    }
  }
  if (!found) return std::nullopt;
  // Fewest observables first in a random order; sometimes a few more stay.
  Chosen keep = all;
  for (size_t i = keep.size(); i > 1; --i) std::swap(keep[i - 1], keep[rng.below(i)]);
  const double leave = rng.chance(0.5) ? 0.0 : 0.4;
  for (size_t k = 0; k < keep.size();) {
    Chosen fewer = keep;
    fewer.erase(fewer.begin() + static_cast<long>(k));
    if (!fewer.empty() && !occurs(allowed.states, *found, fewer) && !rng.chance(leave))
      keep = std::move(fewer);
    else
      ++k;
  }
  return std::pair{*found, keep};
}

}  // namespace

Conjunction choose_filter(Rng& rng, const Allowed& allowed) {
  if (allowed.states.empty() || allowed.observables.empty()) return {};
  const prog::State& s = rng.pick(allowed.states);
  if (!known(s)) return {};
  return conjunction(allowed, s, some(rng, allowed.observables.size(), rng.chance(0.8) ? 1 : 2));
}

Question choose_question(Rng& rng, const Allowed& allowed, bool wanted) {
  using prog::Quantifier;
  Question q;
  if (allowed.observables.empty()) return q;
  std::vector<const prog::State*> good;
  for (const prog::State& s : allowed.states)
    if (known(s)) good.push_back(&s);
  const auto unseen = forbidden(rng, allowed);
  // `exists` of a seen state holds, of an unseen one fails; ~exists and forall ~(...) the other way round.
  const size_t form = rng.below(4);
  const bool ask_seen = form == 0 ? wanted : !wanted;
  if (form == 3 && !good.empty()) {
    // forall: every value that one observable takes, or all but one.
    const size_t i = rng.below(allowed.observables.size());
    std::map<uint64_t, prog::StateValue> values;
    for (const prog::State* s : good) values[(*s)[i].value] = (*s)[i];
    const bool possible = wanted || values.size() > 1;
    if (!wanted && possible) values.erase(std::next(values.begin(), static_cast<long>(rng.below(values.size()))));
    if (possible && values.size() < 8) {
      q.quantifier = Quantifier::forall;
      for (const auto& [bits, v] : values) q.disjuncts.push_back({atom(allowed.observables[i], v)});
      return q;
    }
  }
  q.quantifier = form == 0 ? Quantifier::exists : form == 1 ? Quantifier::not_exists : Quantifier::forall;
  q.negated = q.quantifier == Quantifier::forall;
  if (ask_seen && !good.empty()) {
    q.disjuncts.push_back(conjunction(allowed, *rng.pick(good), some(rng, allowed.observables.size(), 4)));
    if (unseen && rng.chance(0.2)) q.disjuncts.push_back(conjunction(allowed, unseen->first, unseen->second));
  } else if (!ask_seen && unseen) {
    q.disjuncts.push_back(conjunction(allowed, unseen->first, unseen->second));
  } else if (!good.empty()) {
    q.negated = false;
    q.quantifier = wanted ? Quantifier::exists : Quantifier::not_exists;
    q.disjuncts.push_back(conjunction(allowed, *rng.pick(good), some(rng, allowed.observables.size(), 4)));
  } else {
    q.negated = false;
    q.quantifier = wanted ? Quantifier::not_exists : Quantifier::exists;
    prog::State zero(allowed.observables.size());
    q.disjuncts.push_back(conjunction(allowed, zero, some(rng, allowed.observables.size(), 2)));
  }
  return q;
}

}  // namespace fencepost::fuzz
