// What the clauses of the program say about the base relations, as may and must bounds, and the rounds in which the
// axioms and these bounds decide what needs no search (bounds/forbidden.h has the rules and their proof).
//
// A pair is a must pair if its literal follows from "i runs" or from "j runs", or is that both run: each execution with
// both has it. "Follows" is unit propagation, a proof in the clauses. `implied_by` likewise. A literal that is false
// under "i runs" takes the pair out of may. Of two writes that run, a total order has one pair, so that the other may
// not be there makes it a must pair; co is transitive and has no cycles, so its must pairs are closed and their
// inverses are not there. A pair that an axiom requires (`empty r \ s`) is a must pair of what it asks for: that co has
// morally strong writes in some order, and not in the one, gives the other.
//
// Values follow: a read has one source, so that a bit on which all those agree that are left is its bit (agree()). A
// source that unit propagation refutes is none (probe(), failed literals: J. Freeman, 1995); asked when a round brings
// nothing else. Tags of a compare-exchange that writes
// wherever it runs are those of success.
//
// Measured on locks of 32 invocations in four groups, data races: without values 10.4 s and 150 conflicts (compare-
// and-swap), with them 2.3 s and 10; without probing no source of a lock that is looked at first is decided.
// Measured on a compare-and-swap lock of 32 invocations under PTX, condition: 19.7 s with lists of occurrences in place
// of watched literals (sat/circuit.cpp), each event assumed by itself and all pairs probed each time; 13.8 s with
// watched literals; 8.6 s probing a part; 1.0 s with assumptions on top of each other, and 0.6 of
// that where events are assumed only when a round of the axioms alone brings nothing, and probing ends at the first
// read without news after some. Not where probing finds nothing: the same lock in GLSL needs more rounds then. Lost: to
// probe before events are assumed (4 s, as assumptions stand side by side then); to ask the events of one thread only,
// and one read (0.7 s here, minutes for two threads that run unfairly: a thousand small rounds).
// Measured on a compare-and-swap lock with twelve exchangeable invocations: the rounds decide every read, and with the
// values the condition, so that the solver has nothing to do; before, 257,000 variables went to it.
#include <unordered_map>
#include <utility>

#include "bounds/forbidden.h"
#include "encode/model.h"

namespace fencepost::encode {

using bounds::Rule;
using sat::k_false;
using sat::k_true;
using vocab::Base;
using vocab::Tag;

void ModelEncoding::read_tags() {
  const Skeleton& s = p_.skeleton();
  base_.tags.assign(vocab::k_tags, BitSet(n_));
  base_.sometimes.assign(vocab::k_tags, BitSet(n_));
  for (uint32_t e = 0; e < n_; ++e) {
    const SymEvent& x = s.events[e];
    read_tags(e, x.failed_tags ? c_.fold(p_.wrote(e)) : k_true);
  }
}

// `wrote`: of a compare-exchange, as far as it is known where it runs.
void ModelEncoding::read_tags(uint32_t e, Lit wrote) {
  const SymEvent& x = p_.skeleton().events[e];
  for (size_t t = 0; t < vocab::k_tags; ++t) {
    const bool good = wrote != k_false && x.tags.has(static_cast<Tag>(t));
    const bool failed = wrote != k_true && x.failed_tags->has(static_cast<Tag>(t));
    if (good || failed)
      base_.tags[t].set(e);
    else
      base_.tags[t].reset(e);
    if (wrote != k_true && wrote != k_false && good != failed)
      base_.sometimes[t].set(e);
    else
      base_.sometimes[t].reset(e);
  }
}

// Events that run under one literal, in a forest: the parent of a block runs whenever the block does, as the last round
// has found. `e runs` is assumed on top of the parent's: what follows is the same, and what follows from the parent is
// found once. In a lock's fragments each event has a literal of its own, and each thread comes behind another one.
void ModelEncoding::plant(const std::vector<BitSet>& implied_by) {
  blocks_.clear();
  roots_.clear();
  std::unordered_map<Lit, uint32_t> place;
  base_.live.for_each([&](uint32_t e) {
    const auto [it, fresh] = place.try_emplace(p_.exec(e), static_cast<uint32_t>(blocks_.size()));
    if (fresh) blocks_.emplace_back();
    blocks_[it->second].events.push_back(e);
  });
  const auto above = [&](uint32_t a, uint32_t b) {  // a runs whenever b does
    return a != b && implied_by[blocks_[a].events[0]].test(blocks_[b].events[0]);
  };
  const uint32_t n = static_cast<uint32_t>(blocks_.size());
  std::vector<std::pair<uint32_t, uint32_t>> depth(n);  // how many are above; a number, so that there is no circle
  for (uint32_t b = 0; b < n; ++b) {
    depth[b].second = b;
    for (uint32_t a = 0; a < n; ++a) depth[b].first += above(a, b) ? 1 : 0;
  }
  for (uint32_t b = 0; b < n; ++b) {
    std::optional<uint32_t> parent;
    for (uint32_t a = 0; a < n; ++a)
      if (depth[a] < depth[b] && (!parent || depth[*parent] < depth[a]) && above(a, b)) parent = a;
    (parent ? blocks_[*parent].children : roots_).push_back(b);
  }
}

// Calls visit(e) for each live event under the assumption that it runs, until one says no. What cannot run is told so
// afterwards.
void ModelEncoding::under_each(const std::function<bool(uint32_t)>& visit) {
  std::vector<Lit> never;
  const auto walk = [&](auto&& self, uint32_t b) -> bool {
    const Lit runs = p_.exec(blocks_[b].events[0]);
    const bool possible = c_.assume(runs);
    bool on = true;
    if (!possible) never.push_back(runs);
    for (size_t k = 0; k < blocks_[b].events.size() && possible && on; ++k) on = visit(blocks_[b].events[k]);
    for (size_t k = 0; k < blocks_[b].children.size() && possible && on; ++k) on = self(self, blocks_[b].children[k]);
    c_.retract();
    return on;
  };
  for (uint32_t b : roots_)
    if (!walk(walk, b)) break;
  for (Lit l : never) c_.add({-l});
  died_ = died_ || !never.empty();
}

// implied_by, what cannot run together, and must pairs of rf, by propagation from "e runs".
void ModelEncoding::imply() {
  plant(base_.implied_by);
  for (uint32_t e = 0; e < n_; ++e) base_.implied_by[e] = base_.always.test(e) ? base_.live : BitSet(n_);
  base_.live.for_each([&](uint32_t e) { base_.implied_by[e].set(e); });
  Relation& rf_must = base_.must[static_cast<size_t>(Base::rf)];
  Relation& rf_may = base_.may[static_cast<size_t>(Base::rf)];
  Relation& co_must = base_.must[static_cast<size_t>(Base::co)];
  Relation& co_may = base_.may[static_cast<size_t>(Base::co)];
  const bool reads = m_.uses(Base::rf), orders = m_.uses(Base::co);
  const auto& events = p_.skeleton().events;
  under_each([&](uint32_t e) {
    if (events[e].failed_tags)
      if (const Lit wrote = c_.fold(p_.wrote(e)); wrote == k_true || wrote == k_false) read_tags(e, wrote);
    base_.live.for_each([&](uint32_t k) {
      const Lit other = p_.exec(k);
      if (other == k_true) base_.implied_by[k].set(e);
      if (other == k_false) {
        base_.compatible.reset(e, k);
        base_.compatible.reset(k, e);
      }
    });
    if (orders && events[e].write)
      for (uint32_t w : p_.writes()) {
        const Lit before = p_.co(w, e), after = p_.co(e, w);
        if (before == k_true) co_must.set(w, e);
        if (after == k_true) co_must.set(e, w);
        if (before == k_false) co_may.reset(w, e);
        if (after == k_false) co_may.reset(e, w);
      }
    if (reads && events[e].read)
      for (const auto& [w, l] : p_.rf_candidates(e)) {
        if (c_.is_true(l)) rf_must.set(w, e);
        if (c_.is_false(l)) rf_may.reset(w, e);
      }
    return true;
  });
}

// Pairs of rf whose presence contradicts the clauses by propagation: who reads a taken lock, of executions without
// failed attempts. Whether there are any. Locks unfold in the order of their threads, one read in a few rounds: so it
// is gone on from the read that had news last, and a round follows once there are some and as many pairs were asked as
// a round asks events. That there are none is said after all were asked.
bool ModelEncoding::probe() {
  if (!m_.uses(Base::rf)) return false;
  const Relation& may = base_.may[static_cast<size_t>(Base::rf)];
  const Relation& must = base_.must[static_cast<size_t>(Base::rf)];
  const uint32_t from = probe_from_;
  std::vector<std::pair<uint32_t, uint32_t>> refuted;
  const auto ask = [&](uint32_t r) {
    if (!p_.skeleton().events[r].read) return true;
    const size_t before = refuted.size();
    for (const auto& [w, l] : p_.rf_candidates(r)) {
      const Lit open = c_.fold(l);
      if (!may.test(w, r) || must.test(w, r) || open == k_true || open == k_false) continue;
      if (!c_.assume(open)) {
        if (refuted.empty()) probe_from_ = r;
        refuted.push_back({w, r});
      }
      c_.retract();
    }
    return refuted.empty() || refuted.size() > before;
  };
  under_each([&](uint32_t r) { return r < from || ask(r); });
  if (refuted.empty()) under_each([&](uint32_t r) { return r >= from || ask(r); });
  if (!refuted.empty()) fired_.set(static_cast<size_t>(Rule::probing));
  for (const auto& [w, r] : refuted) {
    c_.add({-p_.rf(w, r)});
    base_.may[static_cast<size_t>(Base::rf)].reset(w, r);
  }
  return !refuted.empty();
}

// A read has a source: where one is left, whoever runs the read has it.
void ModelEncoding::read_last_sources() {
  if (!m_.uses(Base::rf)) return;
  base_.live.for_each([&](uint32_t r) {
    if (!p_.skeleton().events[r].read) return;
    std::optional<uint32_t> last;
    for (const auto& [w, l] : p_.rf_candidates(r)) {
      if (c_.is_false(l)) continue;
      if (last) return;
      last = w;
    }
    Relation& must = base_.must[static_cast<size_t>(Base::rf)];
    if (!last || !base_.may[static_cast<size_t>(Base::rf)].test(*last, r) || must.test(*last, r)) return;
    must.set(*last, r);
    fired_.set(static_cast<size_t>(Rule::last_source));
  });
}

// Bits of a read on which all writes that it may yet read agree. Whether there are new ones.
bool ModelEncoding::agree() {
  if (!p_.ties_values()) return false;
  const auto& events = p_.skeleton().events;
  bool news = false;
  base_.live.for_each([&](uint32_t r) {
    if (!events[r].read) return;
    const Bits mine = p_.bits(events[r].value);
    for (uint32_t k = 0; k < mine.size(); ++k) {
      const Lit bit = c_.fold(mine[k]);
      if (bit == k_true || bit == k_false || agreed_.contains({r, k})) continue;
      Lit common = 0;
      const auto& sources = p_.rf_candidates(r);
      const bool same = std::all_of(sources.begin(), sources.end(), [&](const auto& source) {
        if (c_.is_false(source.second)) return true;
        const Bits theirs = p_.bits(events[source.first].value);
        const Lit value = k < theirs.size() ? c_.fold(theirs[k]) : k_false;
        if (value != k_true && value != k_false) return false;
        const bool first = common == 0;
        if (first) common = value;
        return common == value;
      });
      if (!same || common == 0) continue;
      agreed_.insert({r, k});
      c_.add({-p_.exec(r), common == k_true ? bit : -bit});
      fired_.set(static_cast<size_t>(Rule::values));
      news = true;
    }
  });
  return news;
}

// Must pairs of a total order that follow from pairs which are not there, closed.
void ModelEncoding::order_writes() {
  if (!m_.uses(Base::co)) return;
  Relation& may = base_.may[static_cast<size_t>(Base::co)];
  Relation& must = base_.must[static_cast<size_t>(Base::co)];
  if (needs_of(m_, p_.skeleton().test->dialect).total_co)
    for (uint32_t x : p_.writes())
      for (uint32_t y : p_.writes())
        if (x != y && may.test(x, y) && !may.test(y, x) && !must.test(x, y) && c_.is_true(p_.same_location(x, y))) {
          must.set(x, y);
          fired_.set(static_cast<size_t>(Rule::total_order));
        }
  for (;;) {
    Relation next = must | (bounds::compose_must(must, must, base_.implied_by) & base_.compatible);
    if (next == must) break;
    must = std::move(next);
  }
  may -= must.inverse();
}

void ModelEncoding::read_base(Base b) {
  const Skeleton& s = p_.skeleton();
  Relation& may = base_.may[static_cast<size_t>(b)];
  Relation& must = base_.must[static_cast<size_t>(b)];
  // A literal that is "both run" is a must pair.
  auto put = [&](uint32_t i, uint32_t j) {
    if (!base_.compatible.test(i, j)) return;
    const Lit l = c_.fold(base(b, i, j));
    if (l == k_false) return;
    may.set(i, j);
    if (l == k_true || l == p_.both(i, j)) must.set(i, j);
  };
  switch (b) {
    case Base::rf:
      for (uint32_t r = 0; r < n_; ++r)
        for (const auto& [w, l] : p_.rf_candidates(r)) put(w, r);
      break;
    case Base::co:
      for (uint32_t x : p_.writes())
        for (uint32_t y : p_.writes())
          if (x != y) put(x, y);
      break;
    case Base::fsc:
    case Base::sync_fence:
      for (uint32_t x : p_.sc_fences())
        for (uint32_t y : p_.sc_fences()) put(x, y);
      break;
    case Base::syncbar:
      for (uint32_t x : p_.barriers())
        for (uint32_t y : p_.barriers()) put(x, y);
      break;
    case Base::amo:
      for (uint32_t r = 0; r < n_; ++r)
        if (s.events[r].read && s.events[r].partner != prog::k_none) put(r, s.events[r].partner);
      break;
    case Base::data:
    case Base::addr:
    case Base::ctrl:
      for (uint32_t e = 0; e < n_; ++e)
        for (const Dependency& d : b == Base::data   ? s.events[e].data
                                   : b == Base::addr ? s.events[e].addr
                                                     : s.events[e].ctrl)
          put(d.load, e);
      break;
    case Base::id:
      for (uint32_t e = 0; e < n_; ++e) put(e, e);
      break;
    case Base::po:
      for (const SymThread& t : s.threads)
        for (uint32_t i = t.first_event; i < t.last_event; ++i)
          for (uint32_t j = i + 1; j < t.last_event; ++j) put(i, j);
      break;
    case Base::lxsx:
      break;
    case Base::loc:
    case Base::vloc:
      for (uint32_t i = 0; i < n_; ++i)
        for (uint32_t j = 0; j < n_; ++j)
          if (s.events[i].memory() && s.events[j].memory()) put(i, j);
      break;
    default:  // fixed: no literals for pairs that nobody may ask about
      base_.compatible.for_each([&](uint32_t i, uint32_t j) {
        if (!fixed(b, i, j).value_or(false)) return;
        may.set(i, j);
        must.set(i, j);
      });
  }
}

// `deep`: with what propagation says of each event that runs; else as far as the literals themselves say it.
void ModelEncoding::read_bounds(bool deep) {
  const Skeleton& s = p_.skeleton();
  const bool first = base_.n == 0;
  base_.n = n_;
  base_.live = BitSet(n_);
  base_.always = BitSet(n_);
  for (uint32_t e = 0; e < n_; ++e) {
    if (!c_.is_false(p_.exec(e))) base_.live.set(e);
    if (c_.is_true(p_.exec(e))) base_.always.set(e);
  }
  read_tags();
  if (first) {
    base_.compatible = Relation(n_);
    base_.implied_by.assign(n_, BitSet(n_));
    for (uint32_t i = 0; i < n_; ++i) {
      if (!base_.live.test(i)) continue;
      for (uint32_t j = 0; j < n_; ++j)
        if (base_.live.test(j) && s.compatible(i, j)) base_.compatible.set(i, j);
    }
    for (size_t b = 0; b < vocab::k_bases; ++b) base_.may[b] = base_.must[b] = Relation(n_);
  }
  const Relation alive = Relation::product(base_.live, base_.live);
  base_.compatible &= alive;
  for (size_t k = 0; k < vocab::k_bases; ++k) {
    const Base b = static_cast<Base>(k);
    if (!m_.uses(b)) continue;
    // Of the others, literals do not change but for "both run".
    const bool open = b == Base::rf || b == Base::co || b == Base::fsc || b == Base::sync_fence || b == Base::syncbar ||
                      b == Base::loc || b == Base::vloc || b == Base::data || b == Base::addr || b == Base::ctrl;
    if (first) {
      read_base(b);
    } else if (open) {
      const Relation may = base_.may[k] & base_.compatible;
      base_.may[k] = may;
      (may - base_.must[k]).for_each([&](uint32_t i, uint32_t j) {
        const Lit l = c_.fold(base(b, i, j));
        if (l == k_false) base_.may[k].reset(i, j);
        if (l == k_true || l == p_.both(i, j)) base_.must[k].set(i, j);
      });
    }
  }
  read_last_sources();
  if (deep) imply();
  for (size_t b = 0; b < vocab::k_bases; ++b) {
    base_.may[b] &= base_.compatible;
    base_.must[b] &= base_.may[b];
  }
  order_writes();
}

uint32_t ModelEncoding::settle() {
  uint32_t rounds = 0;
  // Whether the bounds are all that propagation says of each event. That costs most: once probing has found something,
  // more rounds will follow, and it is asked only when the axioms have nothing new to say about what the literals say.
  bool deep = true, probed = false;
  while (!c_.contradictory()) {
    ++rounds;
    bool news = false;
    bounds::Fired fired;
    for (const auto& [b, i, j] : bounds::forbidden(m_, base_, bounds_, &fired)) {
      const Lit l = c_.fold(base(b, i, j));
      if (l == k_false) continue;
      c_.add({-l});
      news = true;
    }
    if (news) fired_ |= fired;
    for (const auto& [b, i, j] : bounds::required(m_, base_, bounds_)) {
      Relation& must = base_.must[static_cast<size_t>(b)];
      if (must.test(i, j) || !base_.compatible.test(i, j)) continue;
      c_.add({-p_.exec(i), -p_.exec(j), c_.fold(base(b, i, j))});
      if (base_.may[static_cast<size_t>(b)].test(i, j)) {
        must.set(i, j);
      } else {  // the two do not run together; else it would be news in each round of the axioms
        base_.compatible.reset(i, j);
        base_.compatible.reset(j, i);
      }
      fired_.set(static_cast<size_t>(Rule::required));
      news = true;
    }
    news = agree() || news;
    news = std::exchange(died_, false) || news;
    if (!news && deep) {
      news = probe();
      if (!news) break;
      probed = true;
    }
    if (!c_.propagate()) break;
    deep = !news || !probed;
    read_bounds(deep);
    bounds_ = bounds::compute(m_, base_);
  }
  return rounds;
}

uint64_t ModelEncoding::unordered_fences() const {
  uint64_t pairs = 0;
  for (Base b : {Base::fsc, Base::sync_fence})
    pairs += base_.may[static_cast<size_t>(b)].count() - base_.must[static_cast<size_t>(b)].count();
  return pairs;
}

}  // namespace fencepost::encode
