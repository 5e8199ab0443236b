#include "check/liveness_encoding.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "prog/test.h"
#include "reference/eventual.h"
#include "vocab/vocab.h"

namespace fencepost::check {

using encode::Exit;
using sat::k_false;
using sat::k_true;

std::optional<std::string> LivenessEncoding::require() {
  for (uint32_t e = s_.init_events; e < s_.events.size(); ++e) {
    const encode::SymEvent& ev = s_.events[e];
    const encode::SymNode& n = s_.threads[ev.thread].nodes[ev.node];
    event_at_[{ev.thread, n.position, ev.part, n.counters}] = e;
  }
  for (const encode::SymThread& t : s_.threads) {
    std::map<Exit::Kind, std::vector<Lit>> by_kind;
    for (const Exit& x : t.exits) by_kind[x.kind].push_back(p_.lit(x.guard));
    ended_.push_back(c_.or_(by_kind[Exit::Kind::end]));
    blocked_.push_back(c_.or_(by_kind[Exit::Kind::blocked]));
    halted_.push_back(c_.or_(by_kind[Exit::Kind::halted]));
    running_.push_back(c_.or_(by_kind[Exit::Kind::repeats]));
    started_.push_back(t.nodes.empty() ? k_false : p_.lit(t.nodes[0].guard));
    for (const encode::SymNode& n : t.nodes)
      if (n.guard) p_.lit(n.guard);  // so that threads() can ask for it
  }
  make_fates();
  place_events();
  fair_reads();
  ordered_rounds();
  return keep_promise();
}

std::optional<uint32_t> LivenessEncoding::iteration(uint32_t thread, const Exit& x, uint32_t node) const {
  const encode::SymThread& t = s_.threads[thread];
  const encode::SymLoop& loop = t.loops[x.loop];
  const encode::SymNode& n = t.nodes[node];
  if (n.position < loop.from || n.position > loop.to) return std::nullopt;
  for (size_t k = 0; k < t.loops.size(); ++k)
    if (t.loops[k].from < loop.from && n.counters[k] != t.nodes[x.node].counters[k]) return std::nullopt;
  return n.counters[x.loop];
}

std::optional<uint32_t> LivenessEncoding::head(uint32_t thread, const Exit& x, uint32_t wanted) const {
  const encode::SymThread& t = s_.threads[thread];
  for (uint32_t n = 0; n < t.nodes.size(); ++n)
    if (t.nodes[n].position == t.loops[x.loop].from && t.nodes[n].guard && iteration(thread, x, n) == wanted) return n;
  return std::nullopt;
}

std::optional<uint32_t> LivenessEncoding::moved(const Exit& x, uint32_t e, uint32_t wanted) const {
  const encode::SymEvent& ev = s_.events[e];
  const encode::SymNode& n = s_.threads[ev.thread].nodes[ev.node];
  std::vector<uint32_t> counters = n.counters;
  counters[x.loop] = wanted;
  const auto it = event_at_.find({ev.thread, n.position, ev.part, counters});
  return it == event_at_.end() ? std::nullopt : std::optional(it->second);
}

bool LivenessEncoding::may_miss(uint32_t r, uint32_t w) const {
  const vocab::TagSet &read = s_.events[r].tags, &write = s_.events[w].tags;
  if (reference::plain(read, write) || !reference::promised_across_proxies(read, write)) return true;
  if (reference::on_mbarrier(read, write)) return false;
  return fairness_ == reference::Fairness::scoped && s_.events[r].thread != s_.events[w].thread &&
         !p_.in_scope_of_each_other(r, w);
}

void LivenessEncoding::make_fates() {
  for (uint32_t t = 0; t < s_.threads.size(); ++t)
    for (uint32_t k = 0; k < s_.threads[t].exits.size(); ++k) {
      const Exit& x = s_.threads[t].exits[k];
      if (x.kind != Exit::Kind::repeats) continue;
      const Lit guard = p_.lit(x.guard);
      if (c_.is_false(guard)) continue;
      std::vector<Lit> any{-guard};
      const uint32_t done = s_.threads[t].nodes[x.node].counters[x.loop] + 1;  // iterations behind it
      const Lit effect = p_.lit(x.effect);
      if (!c_.is_true(effect)) {
        const Lit l = c_.fresh();
        c_.add({-l, guard});
        c_.add({-l, -effect});
        fates_.push_back({t, k, true, done - 1, 1, l});
        any.push_back(l);
      }
      for (uint32_t d = 1; 2 * d <= done; ++d) {
        const auto first = head(t, x, done - 2 * d);
        const auto second = head(t, x, done - d);
        if (!first || !second) continue;
        const Lit l = c_.fresh();
        c_.add({-l, guard});
        c_.add({-l, p_.lit(s_.threads[t].nodes[*first].guard)});
        fates_.push_back({t, k, false, done - 2 * d, d, l});
        any.push_back(l);
        repeat_rounds(fates_.back());
      }
      c_.add(any);
      any.erase(any.begin());
      c_.at_most_one(any);
    }
}

// The two rounds start with the same registers and read the same values; then they do the same.
void LivenessEncoding::repeat_rounds(const FateLit& f) {
  const Exit& x = exit(f);
  const encode::SymThread& t = s_.threads[f.thread];
  const auto& before = t.head_registers.at(*head(f.thread, x, f.first));
  const auto& after = t.head_registers.at(*head(f.thread, x, f.first + f.length));
  for (size_t r = 0; r < before.size(); ++r)
    if (t.loops[x.loop].live[r]) bv_.equal_if(f.lit, p_.bits(before[r]), p_.bits(after[r]));
  for (uint32_t e = t.first_event; e < t.last_event; ++e) {
    const encode::SymEvent& ev = s_.events[e];
    const auto i = iteration(f.thread, x, ev.node);
    if (!i || *i < f.first || *i >= f.first + f.length) continue;
    if (!ev.read && ev.barrier == nullptr) continue;
    const auto other = moved(x, e, *i + f.length);
    if (!other) {
      c_.add({-f.lit, -p_.exec(e)});
      continue;
    }
    c_.add({-f.lit, -p_.exec(e), p_.exec(*other)});
    if (ev.read) bv_.equal_if(c_.and_(f.lit, p_.exec(e)), p_.bits(ev.value), p_.bits(s_.events[*other].value));
  }
}

void LivenessEncoding::place_events() {
  const uint32_t n = p_.size();
  in_.resize(n);
  loops_.assign(n, k_false);
  second_.assign(n, k_false);
  for (uint32_t e = s_.init_events; e < n; ++e) {
    std::vector<Lit> any, second;
    for (size_t k = 0; k < fates_.size(); ++k) {
      const FateLit& f = fates_[k];
      if (f.thread != s_.events[e].thread) continue;
      const auto i = iteration(f.thread, exit(f), s_.events[e].node);
      if (!i || *i < f.first) continue;
      const uint32_t round = (*i - f.first) / f.length;
      if (round >= (f.spin ? 1u : 2u)) continue;
      in_[e].push_back({k, static_cast<int>(round)});
      any.push_back(f.lit);
      if (round == 1) second.push_back(f.lit);
    }
    if (any.empty()) continue;
    loops_[e] = c_.and_(p_.exec(e), c_.or_(any));
    // Spurious failures are finitely many.
    if (s_.events[e].spurious) c_.add({-loops_[e], -p_.lit(s_.events[e].spurious)});
    second_[e] = c_.and_(p_.exec(e), c_.or_(second));
  }
}

void LivenessEncoding::fair_reads() {
  for (uint32_t r = 0; r < p_.size(); ++r) {
    if (!s_.events[r].read) continue;
    for (const auto& [k, round] : in_[r]) {
      const FateLit& f = fates_[k];
      if (!f.spin && round == 0) continue;  // finitely often is fair
      for (const auto& [w, rf] : p_.rf_candidates(r)) {
        if (c_.is_false(rf)) continue;
        if (f.spin) c_.add({-f.lit, -rf, -second_[w]});
        for (uint32_t v : p_.writes()) {
          if (v == w || may_miss(r, v)) continue;
          const Lit co = p_.co(w, v);
          if (!c_.is_false(co)) c_.add({-f.lit, -rf, loops_[w], -co});
        }
      }
    }
  }
}

// What a loop does comes, in co and in the order of fences, after the prefix, and its second round after its first.
void LivenessEncoding::ordered_rounds() {
  const auto forwards = [&](uint32_t a, uint32_t b, Lit before) {
    if (c_.is_false(before) || c_.is_false(loops_[a])) return;
    c_.add({-before, -loops_[a], loops_[b]});
    c_.add({-before, -second_[a], second_[b]});
  };
  for (uint32_t a : p_.writes())
    for (uint32_t b : p_.writes())
      if (a != b) forwards(a, b, p_.co(a, b));
  for (uint32_t a : p_.sc_fences())
    for (uint32_t b : p_.sc_fences())
      if (a != b) forwards(a, b, p_.sync_fence(a, b));
  // The two rounds of two threads are ordered alike.
  const auto alike = [&](const std::vector<uint32_t>& events, auto&& order) {
    for (uint32_t a : events)
      for (uint32_t b : events) {
        if (a == b || c_.is_false(order(a, b))) continue;
        for (const auto& [f, ra] : in_[a])
          for (const auto& [g, rb] : in_[b]) {
            const FateLit& x = fates_[f];
            const FateLit& y = fates_[g];
            if (x.spin || y.spin || ra != 0 || rb != 0) continue;
            const auto i = iteration(x.thread, exit(x), s_.events[a].node);
            const auto j = iteration(y.thread, exit(y), s_.events[b].node);
            const auto a1 = moved(exit(x), a, *i + x.length);
            const auto b1 = moved(exit(y), b, *j + y.length);
            if (!a1 || !b1) continue;
            c_.add({-x.lit, -y.lit, -order(a, b), order(*a1, *b1)});
          }
      }
  };
  alike(p_.writes(), [&](uint32_t a, uint32_t b) { return p_.co(a, b); });
  alike(p_.sc_fences(), [&](uint32_t a, uint32_t b) { return p_.sync_fence(a, b); });
}

std::optional<std::string> LivenessEncoding::keep_promise() {
  const reference::ScopeTree tree = reference::scope_tree(*s_.test);
  const size_t n = tree.nodes.size();
  std::vector<Lit> schedulable(n, k_false), started(n, k_false), served(n, k_false);
  for (size_t k = n; k-- > 0;) {
    const auto& node = tree.nodes[k];
    if (node.thread != prog::k_none) {
      schedulable[k] = c_.or_(halted_[node.thread], running_[node.thread]);
      started[k] = started_[node.thread];
      continue;
    }
    std::vector<Lit> live, begun;
    for (uint32_t c : node.children) {
      live.push_back(schedulable[c]);
      begun.push_back(started[c]);
    }
    schedulable[k] = c_.or_(std::move(live));
    started[k] = c_.or_(std::move(begun));
  }
  for (size_t k = 0; k < n; ++k) {
    served[k] = k == 0 ? k_true : c_.fresh();
    if (tree.nodes[k].thread != prog::k_none) c_.add({-served[k], -schedulable[k], running_[tree.nodes[k].thread]});
  }
  for (size_t k = 0; k < n; ++k)
    if (tree.nodes[k].thread == prog::k_none)
      if (auto why = serve(tree.nodes[k], served[k], served, schedulable, started)) return why;
  std::vector<Lit> somebody = running_;
  somebody.insert(somebody.end(), blocked_.begin(), blocked_.end());
  c_.add(somebody);
  return std::nullopt;
}

std::optional<std::string> LivenessEncoding::serve(const reference::ScopeTree::Node& n, Lit served,
                                                   const std::vector<Lit>& serves, const std::vector<Lit>& schedulable,
                                                   const std::vector<Lit>& started) {
  const reference::LevelProgress& level = progress_.at(n.depth);
  if (level.is_fair()) {
    for (uint32_t c : n.children) c_.add({-served, serves[c]});
    return std::nullopt;
  }
  const size_t width = n.children.size();
  std::vector<Lit> some{-served};
  std::vector<Lit> live;
  for (uint32_t c : n.children) {
    some.push_back(c_.and_(serves[c], schedulable[c]));
    live.push_back(schedulable[c]);
  }
  some.push_back(-c_.or_(live));
  c_.add(some);
  // Whom it must serve: by the definition of a shipped model, else by every case of who is alive and who has started.
  using reference::KnownProgress;
  const auto known = level.known;
  if (known != KnownProgress::other) {
    std::vector<Lit> earlier;  // schedulable, with smaller ids
    for (size_t k = 0; k < width; ++k) {
      const Lit serves_k = serves[n.children[k]];
      if (known == KnownProgress::hsa || known == KnownProgress::hsa_obe) {
        std::vector<Lit> clause{-served, serves_k};
        clause.insert(clause.end(), earlier.begin(), earlier.end());
        c_.add(clause);
      }
      if (known == KnownProgress::obe || known == KnownProgress::hsa_obe)
        c_.add({-served, -started[n.children[k]], serves_k});
      if (known == KnownProgress::lobe)
        for (size_t later = k; later < width; ++later) c_.add({-served, -started[n.children[later]], serves_k});
      earlier.push_back(schedulable[n.children[k]]);
    }
    return std::nullopt;
  }
  constexpr size_t k_table = 5;
  if (width > k_table) {
    return "the progress model " + level.model + " over " + std::to_string(width) + " siblings (at most " +
           std::to_string(k_table) + ")";
  }
  for (uint64_t alive = 1; alive < uint64_t{1} << width; ++alive)
    for (uint64_t begun = 0; begun < uint64_t{1} << width; ++begun) {
      const uint64_t promised = level.fair(static_cast<uint32_t>(width), alive, begun) & alive;
      if (promised == 0) continue;
      std::vector<Lit> unless{-served};
      for (size_t k = 0; k < width; ++k) {
        const uint32_t c = n.children[k];
        unless.push_back(((alive >> k) & 1) != 0 ? -schedulable[c] : schedulable[c]);
        unless.push_back(((begun >> k) & 1) != 0 ? -started[c] : started[c]);
      }
      for (size_t k = 0; k < width; ++k)
        if (((promised >> k) & 1) != 0) {
          unless.push_back(serves[n.children[k]]);
          c_.add(unless);
          unless.pop_back();
        }
    }
  return std::nullopt;
}

std::vector<reference::ThreadLasso> LivenessEncoding::threads(const Value& value) {
  std::vector<reference::ThreadLasso> out(s_.threads.size());
  for (uint32_t t = 0; t < s_.threads.size(); ++t) {
    const encode::SymThread& th = s_.threads[t];
    std::vector<uint32_t> path;
    for (uint32_t n = 0; n < th.nodes.size(); ++n)
      if (th.nodes[n].guard && value(p_.lit(th.nodes[n].guard))) path.push_back(n);
    if (value(ended_[t])) continue;
    if (value(blocked_[t])) {
      out[t].fate = reference::Fate::blocked;
    } else if (value(halted_[t])) {
      out[t] = {reference::Fate::halted, path.size(), 0, 0};
    } else {
      out[t].fate = reference::Fate::running;
      for (const FateLit& f : fates_) {
        if (f.thread != t || !value(f.lit)) continue;
        const auto from = std::find(path.begin(), path.end(), *head(t, exit(f), f.first));
        const auto to =
            f.spin ? path.end() : std::find(path.begin(), path.end(), *head(t, exit(f), f.first + f.length));
        FENCEPOST_INVARIANT(from != path.end(), "a loop of a candidate does not pass its label");
        out[t].prefix = static_cast<uint64_t>(from - path.begin());
        out[t].cycle = static_cast<uint64_t>(to - from);
        out[t].given = f.spin ? 1 : 2;
        break;
      }
      FENCEPOST_INVARIANT(out[t].given > 0, "a thread that repeats has no fate");
    }
  }
  return out;
}

std::vector<Lit> LivenessEncoding::signature(const Value& value) {
  std::vector<Lit> out;
  const auto add = [&](Lit l) {
    if (!c_.is_false(l) && value(l)) out.push_back(l);
  };
  for (const FateLit& f : fates_) add(f.lit);
  for (uint32_t r = 0; r < p_.size(); ++r)
    if (s_.events[r].read)
      for (const auto& [w, rf] : p_.rf_candidates(r)) add(rf);
  // What does not hold matters too: more may be ordered in another execution, under a partial co.
  const auto either = [&](Lit l) {
    if (!c_.is_false(l)) out.push_back(value(l) ? l : -l);
  };
  for (uint32_t a : p_.writes())
    for (uint32_t b : p_.writes())
      if (a != b) either(p_.co(a, b));
  for (uint32_t a : p_.sc_fences())
    for (uint32_t b : p_.sc_fences())
      if (a != b) either(p_.sync_fence(a, b));
  for (const auto& [e, l] : p_.quorum_members()) either(l);
  return out;
}

}  // namespace fencepost::check
