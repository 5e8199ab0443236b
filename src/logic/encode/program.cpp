#include "encode/program.h"

#include <algorithm>

#include "encode/acyclic.h"

namespace fencepost::encode {

using prog::k_none;
using sat::k_false;
using sat::k_true;
using term::Op;
using vocab::Tag;

ProgramEncoding::ProgramEncoding(const Skeleton& s, const ProgramNeeds& needs, Circuit& c)
    : s_(s), test_(*s.test), free_values_(needs.free_values), c_(c), bv_(c) {
  const uint32_t n = size();
  exec_.assign(n, k_false);
  rf_.resize(n);
  load_bits_.resize(n);
  load_state_.assign(n, 0);
  cells_.resize(n);
  for (uint32_t e = 0; e < n; ++e) {
    if (s.events[e].write) writes_.push_back(e);
    if (s.events[e].read) reads_.push_back(e);
    if (s.events[e].barrier != nullptr) barriers_.push_back(e);
    if (s.events[e].tags.has(Tag::F) && s.events[e].tags.has(Tag::SC)) sc_fences_.push_back(e);
  }
  // Static candidates first: addresses that need no values.
  encode_addresses();
  for (uint32_t e = 0; e < n; ++e) {
    const SymEvent& ev = s.events[e];
    exec_[e] = lit(ev.guard);
    if (ev.spurious) lit(ev.spurious);  // so that whoever has a solution can ask for it
    if (ev.barrier != nullptr) exec_[e] = c_.and_(exec_[e], lit(ev.pass));
  }
  encode_rf();
  encode_co(needs.total_co);
  if (needs.fence_order) encode_fences(needs.free_sync_fence);
  if (!barriers_.empty()) encode_barriers();
}

// ---- values ----------------------------------------------------------------------------------------

Lit ProgramEncoding::lit(const Expr& e) { return bits(e)[0]; }

Bits ProgramEncoding::bits(const Expr& e) {
  if (e.is_const()) return bv_.constant(e.value(), e.width());
  if (auto it = memo_.find(e.identity()); it != memo_.end()) return it->second;
  Bits out;
  if (e.is_var()) {
    const Variable& v = s_.variables[e.value()];
    out = v.kind == Variable::Kind::load ? load_bits(v.event) : bv_.fresh(v.width);
    if (v.kind == Variable::Kind::load && load_state_[v.event] != 2) return out;  // still in progress: do not keep
  } else {
    std::vector<Bits> kids;
    for (const Expr& k : e.kids()) kids.push_back(bits(k));
    out = bv_.apply(e.op(), e.width(), kids);
  }
  keep_.push_back(e);
  memo_.emplace(e.identity(), out);
  return out;
}

Bits ProgramEncoding::load_bits(uint32_t r) {
  const uint8_t width = s_.events[r].width;
  if (load_state_[r] == 2) return load_bits_[r];
  if (load_state_[r] == 1) {  // on a data cycle: free bits, tied to the writes by rf below
    if (load_bits_[r].empty()) load_bits_[r] = bv_.fresh(width);
    return load_bits_[r];
  }
  if (free_values_) {
    load_state_[r] = 2;
    return load_bits_[r] = bv_.fresh(width);
  }
  load_state_[r] = 1;
  std::vector<Bits> sources;
  for (const auto& [w, l] : rf_[r]) {
    Bits b = bits(s_.events[w].value);
    b.resize(width, k_false);
    sources.push_back(std::move(b));
  }
  if (load_bits_[r].empty()) {
    Bits out(width, k_false);
    for (uint8_t i = 0; i < width; ++i) {
      bool same = !sources.empty();
      for (const Bits& b : sources) same = same && c_.fold(b[i]) == c_.fold(sources[0][i]);
      out[i] = same ? c_.fold(sources[0][i]) : sources.empty() ? k_false : c_.fresh();
    }
    load_bits_[r] = std::move(out);
  }
  for (size_t k = 0; k < sources.size(); ++k) bv_.equal_if(rf_[r][k].second, load_bits_[r], sources[k]);
  load_state_[r] = 2;
  return load_bits_[r];
}

// ---- addresses -------------------------------------------------------------------------------------

// Constant addresses give one cell. Computed ones are compared with the address of every cell that they
// may have: all cells of the symbol's object, or of all objects for a bare pointer.
void ProgramEncoding::encode_addresses() {
  // rf candidates must exist before any value is asked for, so that computed addresses may depend on loads.
  std::vector<std::vector<std::pair<Cell, Expr>>> possible(size());
  for (uint32_t e = 0; e < size(); ++e) {
    const SymEvent& ev = s_.events[e];
    if (!ev.memory()) continue;
    const prog::Address& a = ev.address;
    auto add_object = [&](prog::ObjectId o, const Expr& index) {
      for (uint32_t k = 0; k < test_.objects[o].init.size(); ++k) {
        if (index.is_const()) {
          if (index.value() == k) possible[e].push_back({{o, k}, term::constant(1, 1)});
        } else {
          possible[e].push_back({{o, k}, Expr::make({Op::eq, 1, 0, {index, term::constant(k, index.width())}})});
        }
      }
    };
    if (a.symbol != k_none) {
      add_object(test_.symbols[a.symbol].object, a.index ? a.index : term::constant(0, 64));
    } else {
      for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
        for (uint32_t k = 0; k < test_.objects[o].init.size(); ++k) {
          const uint64_t where = prog::address_of(o, k);
          if (a.index.is_const()) {
            if (a.index.value() == where) possible[e].push_back({{o, k}, term::constant(1, 1)});
          } else {
            possible[e].push_back(
                {{o, k},
                 Expr::make(
                     {Op::eq, 1, 0, {a.index, term::constant(where & term::mask(a.index.width()), a.index.width())}})});
          }
        }
    }
  }
  auto overlap = [&](uint32_t w, uint32_t r) {
    for (const auto& [c1, x] : possible[w])
      for (const auto& [c2, y] : possible[r])
        if (c1 == c2) return true;
    return false;
  };
  for (uint32_t r : reads_)
    for (uint32_t w : writes_)
      if (s_.compatible(w, r) && overlap(w, r)) rf_[r].push_back({w, c_.fresh()});
  for (uint32_t e = 0; e < size(); ++e)
    for (const auto& [cell, when] : possible[e]) {
      const Lit l = lit(when);
      if (!c_.is_false(l)) cells_[e].emplace(cell, l);
    }
}

Lit ProgramEncoding::at(uint32_t e, const Cell& cell) const {
  auto it = cells_[e].find(cell);
  return it == cells_[e].end() ? k_false : c_.fold(it->second);
}

Lit ProgramEncoding::same_location(uint32_t a, uint32_t b) {
  if (!s_.events[a].memory() || !s_.events[b].memory()) return k_false;
  if (a == b) return k_true;
  // Most accesses have one cell: no table is needed to tell two of those apart.
  if (cells_[a].size() == 1 && cells_[b].size() == 1) {
    const auto& [cell, l] = *cells_[a].begin();
    const auto& [other, m] = *cells_[b].begin();
    if (!(cell == other)) return k_false;
    if (c_.is_true(l) && c_.is_true(m)) return k_true;
  }
  if (a > b) std::swap(a, b);
  auto [it, fresh] = loc_.try_emplace(key(a, b), k_false);
  if (fresh) {
    std::vector<Lit> any;
    for (const auto& [cell, l] : cells_[a]) any.push_back(c_.and_(l, at(b, cell)));
    const Lit l = c_.or_(std::move(any));
    loc_[key(a, b)] = l;
    return l;
  }
  return c_.fold(it->second);
}

Lit ProgramEncoding::same_virtual(uint32_t a, uint32_t b) {
  if (!s_.events[a].memory() || !s_.events[b].memory()) return k_false;
  auto generic = [&](uint32_t e, const Cell& cell) {
    const prog::SymbolId y = s_.events[e].address.symbol;
    if (y != k_none) return test_.symbols[y].generic;
    for (prog::SymbolId i = 0; i < test_.symbols.size(); ++i)  // a bare pointer goes through the object's own symbol
      if (test_.symbols[i].object == cell.object && test_.symbols[i].aliased == k_none) return test_.symbols[i].generic;
    return k_none;
  };
  std::vector<Lit> any;
  for (const auto& [cell, l] : cells_[a])
    if (cells_[b].contains(cell) && generic(a, cell) == generic(b, cell)) any.push_back(c_.and_(l, at(b, cell)));
  return c_.or_(std::move(any));
}

// ---- rf, co, fences ----------------------------------------------------------------------------------

void ProgramEncoding::encode_rf() {
  for (uint32_t r : reads_) {
    std::vector<Lit> one{-exec(r)};
    std::vector<Lit> all;
    for (auto& [w, l] : rf_[r]) {
      c_.add({-l, exec(w)});
      c_.add({-l, exec(r)});
      c_.add({-l, same_location(w, r)});
      one.push_back(l);
      all.push_back(l);
    }
    c_.add(one);
    if (all.size() > 1) c_.at_most_one(all);
    load_bits(r);
  }
  // An event whose computed address is no cell at all cannot run.
  for (uint32_t e = 0; e < size(); ++e)
    if (s_.events[e].memory()) {
      std::vector<Lit> somewhere{-exec(e)};
      for (const auto& [cell, l] : cells_[e]) somewhere.push_back(l);
      c_.add(somewhere);
    }
}

void ProgramEncoding::order_by_tournament(const std::vector<uint32_t>& nodes,
                                          std::map<std::pair<uint32_t, uint32_t>, Lit>& order) {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t j = i + 1; j < nodes.size(); ++j) {
      const Lit l = c_.fresh();
      order[{nodes[i], nodes[j]}] = l;
      order[{nodes[j], nodes[i]}] = -l;
    }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t j = i + 1; j < nodes.size(); ++j)
      for (size_t k = j + 1; k < nodes.size(); ++k) {
        const Lit ij = order[{nodes[i], nodes[j]}];
        const Lit jk = order[{nodes[j], nodes[k]}];
        const Lit ik = order[{nodes[i], nodes[k]}];
        c_.add({-ij, -jk, ik});
        c_.add({ij, jk, -ik});
      }
}

void ProgramEncoding::encode_co(bool total) {
  // Writes that may share a location, by connected groups of cells.
  std::vector<std::vector<uint32_t>> groups;
  std::map<Cell, size_t> group_of;
  for (uint32_t w : writes_) {
    size_t g = groups.size();
    for (const auto& [cell, l] : cells_[w])
      if (auto it = group_of.find(cell); it != group_of.end()) g = std::min(g, it->second);
    if (g == groups.size()) groups.emplace_back();
    for (const auto& [cell, l] : cells_[w]) {
      auto [it, fresh] = group_of.try_emplace(cell, g);
      if (!fresh && it->second != g) {  // joins two groups
        const size_t old = it->second;
        groups[g].insert(groups[g].end(), groups[old].begin(), groups[old].end());
        groups[old].clear();
        for (auto& [c, index] : group_of)
          if (index == old) index = g;
      }
    }
    groups[g].push_back(w);
  }
  for (std::vector<uint32_t>& g : groups) {
    std::sort(g.begin(), g.end());
    std::vector<uint32_t> rest;
    for (uint32_t w : g)
      if (w >= s_.init_events) rest.push_back(w);
    for (uint32_t i : g)
      if (i < s_.init_events)
        for (uint32_t w : rest) {
          const Lit l = c_.and_(exec(w), same_location(i, w));
          if (!c_.is_false(l)) co_[key(i, w)] = l;
        }
    std::map<std::pair<uint32_t, uint32_t>, Lit> order;
    if (total) order_by_tournament(rest, order);
    for (size_t i = 0; i < rest.size(); ++i)
      for (size_t j = i + 1; j < rest.size(); ++j) {
        const uint32_t a = rest[i];
        const uint32_t b = rest[j];
        if (!s_.compatible(a, b)) continue;
        const Lit l = c_.and_(both(a, b), same_location(a, b));
        if (c_.is_false(l)) continue;
        if (total) {
          const Lit o = order[{a, b}];
          co_[key(a, b)] = c_.and_(l, o);
          co_[key(b, a)] = c_.and_(l, -o);
        } else {
          const Lit ab = c_.fresh();
          const Lit ba = c_.fresh();
          c_.add({-ab, l});
          c_.add({-ba, l});
          c_.add({-ab, -ba});
          co_[key(a, b)] = ab;
          co_[key(b, a)] = ba;
        }
      }
    if (!total)
      for (uint32_t a : rest)
        for (uint32_t b : rest)
          for (uint32_t d : rest) {
            if (a == b || b == d || a == d) continue;
            const Lit ab = co(a, b);
            const Lit bd = co(b, d);
            if (c_.is_false(ab) || c_.is_false(bd)) continue;
            c_.add({-ab, -bd, co(a, d)});
          }
  }
}

Lit ProgramEncoding::rf(uint32_t w, uint32_t r) const {
  for (const auto& [x, l] : rf_[r])
    if (x == w) return c_.fold(l);
  return k_false;
}

namespace {
Lit lookup(const std::unordered_map<uint64_t, Lit>& m, uint64_t k, const Circuit& c) {
  auto it = m.find(k);
  return it == m.end() ? k_false : c.fold(it->second);
}
}  // namespace

Lit ProgramEncoding::co(uint32_t a, uint32_t b) const { return lookup(co_, key(a, b), c_); }
Lit ProgramEncoding::fsc(uint32_t a, uint32_t b) const { return lookup(fsc_, key(a, b), c_); }
Lit ProgramEncoding::sync_fence(uint32_t a, uint32_t b) const { return lookup(sync_fence_, key(a, b), c_); }
Lit ProgramEncoding::syncbar(uint32_t a, uint32_t b) const { return lookup(syncbar_, key(a, b), c_); }

void ProgramEncoding::encode_fences(bool free_pairs) {
  std::map<std::pair<uint32_t, uint32_t>, Lit> order;
  // Only fences that are in scope of another one need a place in the order.
  std::vector<uint32_t> ordered;
  for (uint32_t a : sc_fences_)
    for (uint32_t b : sc_fences_)
      if (a != b && s_.compatible(a, b) && in_scope_of_each_other(a, b)) {
        ordered.push_back(a);
        break;
      }
  order_by_tournament(ordered, order);
  for (uint32_t a : sc_fences_)
    for (uint32_t b : sc_fences_) {
      if (a == b || !s_.compatible(a, b)) continue;
      if (in_scope_of_each_other(a, b)) {
        const Lit l = c_.and_(both(a, b), order[{a, b}]);
        fsc_[key(a, b)] = l;
        sync_fence_[key(a, b)] = l;
      } else if (free_pairs) {
        const Lit l = c_.fresh();
        c_.add({-l, both(a, b)});
        sync_fence_[key(a, b)] = l;
      }
    }
}

// ---- scopes ----------------------------------------------------------------------------------------

bool ProgramEncoding::same_level(uint32_t a, uint32_t b, uint32_t level) const {
  const uint32_t ta = s_.events[a].thread;
  const uint32_t tb = s_.events[b].thread;
  if (ta == k_init_thread || tb == k_init_thread) return false;
  if (level == vocab::k_level_thread) return ta == tb;
  return prog::same_scope(test_.threads[ta], test_.threads[tb], level);
}

bool ProgramEncoding::in_scope_of_each_other(uint32_t a, uint32_t b) const {
  auto level = [&](uint32_t e) -> std::optional<uint32_t> {
    if (s_.events[e].thread == k_init_thread) return std::nullopt;
    // PTX looks at CTA, then CLUSTER, GPU and SYS; the other dialects at their tags from the narrowest.
    static constexpr Tag k_order[] = {Tag::CTA, Tag::CLUSTER, Tag::GPU, Tag::SYS, Tag::WI,
                                      Tag::SG,  Tag::WG,      Tag::QF,  Tag::DV,  Tag::ALL};
    for (Tag t : k_order)
      if (s_.events[e].tags.has(t))
        if (auto l = vocab::level_of(test_.dialect, t)) return l;
    return std::nullopt;
  };
  const auto la = level(a);
  const auto lb = level(b);
  return la && lb && same_level(a, b, *la) && same_level(a, b, *lb);
}

Lit ProgramEncoding::depends(const std::vector<Dependency>& on, uint32_t load) {
  for (const Dependency& d : on)
    if (d.load == load) return lit(d.condition);
  return k_false;
}

// ---- barriers --------------------------------------------------------------------------------------

// The two are in one scope, at the level of each, or in one thread.
bool ProgramEncoding::meet(uint32_t a, uint32_t b) const {
  const SymEvent &x = s_.events[a], &y = s_.events[b];
  if (x.thread == y.thread) return true;
  const auto &p = test_.threads[x.thread].scope, &q = test_.threads[y.thread].scope;
  return prog::same_scope(p, q, x.barrier->level) && prog::same_scope(p, q, y.barrier->level);
}

// Whether the code of thread t may come to the instance that the value at barrier e names.
Lit ProgramEncoding::may_name(uint32_t t, uint32_t e) {
  const SymEvent& ev = s_.events[e];
  if (!prog::same_scope(test_.threads[t].scope, test_.threads[ev.thread].scope, ev.barrier->level)) return k_false;
  if (ev.barrier->everyone) return k_true;
  std::vector<Lit> any;
  for (const prog::Instr& i : test_.instrs(t)) {
    if (i.kind != prog::Kind::barrier || !i.barrier.by_value()) continue;
    if (!i.barrier.id.is_const()) return k_true;
    const uint8_t w = std::max(ev.barrier_id.width(), i.barrier.id.width());
    any.push_back(bv_.eq(bits(term::resize(ev.barrier_id, w, true)), bits(term::resize(i.barrier.id, w, true))));
  }
  return c_.or_(std::move(any));
}

// Barriers that are named by a value: which arrival at that value each is in its thread. The unrolling counts by
// text only. One literal for each count, exactly one of which is true where the barrier is reached.
void ProgramEncoding::count_by_value(const std::function<Lit(uint32_t, uint32_t)>& same_id,
                                     std::vector<std::map<uint32_t, Lit>>& arrived) {
  for (uint32_t e : barriers_) {
    if (!s_.events[e].barrier->by_value()) continue;
    std::vector<Lit> count{lit(s_.events[e].guard)};
    for (uint32_t p : barriers_) {
      if (p == e || !s_.events[p].barrier->by_value() || !s_.program_order(p, e)) continue;
      const Lit one = c_.and_(lit(s_.events[p].guard), same_id(p, e));
      std::vector<Lit> next(count.size() + 1, k_false);
      for (size_t k = 0; k < count.size(); ++k) {
        next[k] = c_.or_(next[k], c_.and_(count[k], -one));
        next[k + 1] = c_.and_(count[k], one);
      }
      count = std::move(next);
    }
    for (uint32_t k = 0; k < count.size(); ++k)
      if (!c_.is_false(count[k])) arrived[e][k] = count[k];
  }
}

void ProgramEncoding::encode_barriers() {
  struct Member {
    uint32_t event;
    Lit arrived;  // at this k
  };
  struct Group {
    std::vector<uint32_t> participants;  // threads
    std::map<uint32_t, std::vector<Member>> by_thread;
  };
  // Groups by (instance, scope representative thread, k).
  std::map<std::tuple<std::string, uint32_t, uint32_t>, uint32_t> index;
  std::vector<Group> groups;
  auto mentions = [&](uint32_t thread, const std::string& instance) {
    for (const prog::Instr& i : test_.instrs(thread))
      if (i.kind == prog::Kind::barrier && i.barrier.instance == instance) return true;
    return false;
  };
  std::vector<std::map<uint32_t, uint32_t>> group_of(size());  // event -> k -> group
  std::vector<std::map<uint32_t, Lit>> arrived(size());
  for (uint32_t e : barriers_) {
    const SymEvent& ev = s_.events[e];
    if (ev.barrier->by_value()) continue;  // named by a value: below
    for (const Arrival& a : ev.arrivals) {
      const Lit l = c_.and_(lit(ev.guard), lit(a.condition));
      if (c_.is_false(l)) continue;
      // The representative is the first thread of the scope, or the thread itself outside every hierarchy.
      uint32_t rep = ev.thread;
      for (uint32_t t = 0; t < test_.threads.size(); ++t)
        if (prog::same_scope(test_.threads[t].scope, test_.threads[ev.thread].scope, ev.barrier->level)) {
          rep = t;
          break;
        }
      auto [it, fresh] = index.try_emplace({ev.barrier->instance, rep, a.k}, static_cast<uint32_t>(groups.size()));
      if (fresh) {
        Group g;
        for (uint32_t t = 0; t < test_.threads.size(); ++t)
          if ((t == ev.thread ||
               prog::same_scope(test_.threads[t].scope, test_.threads[ev.thread].scope, ev.barrier->level)) &&
              (ev.barrier->everyone || mentions(t, ev.barrier->instance)))
            g.participants.push_back(t);
        groups.push_back(std::move(g));
      }
      groups[it->second].by_thread[ev.thread].push_back({e, l});
      group_of[e][a.k] = it->second;
      arrived[e][a.k] = l;
    }
  }
  auto same_id = [&](uint32_t a, uint32_t b) -> Lit {
    const Expr& x = s_.events[a].barrier_id;
    const Expr& y = s_.events[b].barrier_id;
    if (!x && !y) return k_true;
    if (!x || !y) return k_false;
    const uint8_t w = std::max(x.width(), y.width());
    return bv_.eq(bits(term::resize(x, w, true)), bits(term::resize(y, w, true)));
  };
  count_by_value(same_id, arrived);
  // q <= number of true literals
  auto quorum_met = [&](const Expr& q, const std::vector<Lit>& ls) -> Lit {
    if (q.is_const()) return c_.at_least(ls, static_cast<uint32_t>(std::min<uint64_t>(q.value(), ls.size() + 1)));
    const Bits value = bits(q);
    std::vector<Lit> all;
    for (uint32_t k = 1; k <= ls.size() + 1; ++k) {
      const Lit wants = -bv_.slt(value, bv_.constant(k, q.width()));
      all.push_back(c_.or_(-wants, c_.at_least(ls, k)));
    }
    return c_.and_(std::move(all));
  };
  // Arrivals choose whether to be in S; one without a quorum operand, or one that stays blocked, may always be.
  const bool any_quorum = std::any_of(barriers_.begin(), barriers_.end(),
                                      [&](uint32_t e) { return static_cast<bool>(s_.events[e].barrier_quorum); });
  for (uint32_t e : barriers_) {
    if (!any_quorum) break;
    const Lit reached = lit(s_.events[e].guard);
    if (!s_.events[e].barrier_quorum) {
      members_[e] = reached;
      continue;
    }
    const Lit m = c_.fresh();
    c_.add({-m, reached});
    members_[e] = m;
  }
  // Passing is the least fixpoint: what e passes for must have arrived without e having passed. e names the arrivals
  // that it rests on, an arrival rests on the barriers before it in its thread, and nothing may rest on itself.
  std::vector<WeightedEdge> edges;
  auto before = [&](uint32_t e) {
    std::vector<uint32_t> out;
    for (uint32_t p : barriers_)
      if (!s_.events[p].barrier->arrive && s_.program_order(p, e)) out.push_back(p);
    return out;
  };
  auto rests_on = [&](uint32_t e, Lit here, const Member& m) -> Lit {
    const std::vector<uint32_t> earlier = before(m.event);
    if (earlier.empty() || m.event == e) return m.arrived;
    const Lit l = c_.fresh();
    c_.add({-l, m.arrived});
    for (uint32_t p : earlier) edges.push_back({e, p, c_.and_(l, here)});
    return l;
  };
  for (uint32_t e : barriers_) {
    const SymEvent& ev = s_.events[e];
    if (!ev.barrier->arrive)
      for (uint32_t p : before(e)) edges.push_back({e, p, both(e, p)});
    if (ev.barrier->by_value() && !ev.barrier->arrive)
      for (const auto& [k, here] : arrived[e]) {
        std::vector<Lit> all;
        for (uint32_t t = 0; t < test_.threads.size(); ++t) {
          const Lit awaited = t == ev.thread ? k_false : may_name(t, e);
          if (c_.is_false(awaited)) continue;
          std::vector<Lit> there{-awaited}, grounds{-here, -exec(e), -awaited};
          for (uint32_t m : barriers_) {
            const auto at = arrived[m].find(k);
            if (s_.events[m].thread != t || at == arrived[m].end()) continue;
            const Lit equal = same_id(e, m);
            there.push_back(c_.and_(at->second, equal));
            grounds.push_back(c_.and_(rests_on(e, here, {m, at->second}), equal));
          }
          all.push_back(c_.or_(std::move(there)));
          c_.add(grounds);
        }
        const Lit may_pass = c_.and_(std::move(all));
        const Lit pass = lit(ev.pass);
        c_.add({-here, -pass, may_pass});
        c_.add({-here, pass, -may_pass});
      }
    for (const auto& [k, g] : group_of[e]) {
      const Group& group = groups[g];
      const Lit here = arrived[e][k];
      Lit may_pass = k_true;
      if (ev.barrier_quorum) {
        std::vector<Lit> equal;
        std::vector<Lit> chosen;
        for (const auto& [t, ms] : group.by_thread)
          for (const Member& m : ms) {
            const Lit l = c_.and_(m.arrived, same_id(e, m.event));
            equal.push_back(l);
            chosen.push_back(c_.and_(l, members_.at(m.event)));
          }
        may_pass = quorum_met(ev.barrier_quorum, equal);
        if (!ev.barrier->arrive) {
          std::vector<Lit> grounds;
          for (const auto& [t, ms] : group.by_thread)
            for (const Member& m : ms) grounds.push_back(c_.and_(rests_on(e, here, m), same_id(e, m.event)));
          c_.add({-here, -exec(e), quorum_met(ev.barrier_quorum, grounds)});
        }
        const Lit enough = quorum_met(ev.barrier_quorum, chosen);
        if (!ev.barrier->arrive) c_.add({-here, -exec(e), enough});
      } else {
        std::vector<Lit> all;
        for (uint32_t t : group.participants) {
          if (t == ev.thread) continue;
          std::vector<Lit> there;
          if (auto it = group.by_thread.find(t); it != group.by_thread.end())
            for (const Member& m : it->second) there.push_back(m.arrived);
          // With an id: nobody waits for a thread all of whose barriers of this instance carry other, constant ids.
          Lit never = ev.barrier_id ? k_true : k_false;
          bool all_constant = true;
          for (const prog::Instr& i : test_.instrs(t)) {
            if (i.kind != prog::Kind::barrier || i.barrier.instance != ev.barrier->instance) continue;
            if (!i.barrier.id) continue;  // never equal to an id
            if (!i.barrier.id.is_const()) {
              all_constant = false;
              continue;
            }
            if (ev.barrier_id) {
              const uint8_t w = std::max(ev.barrier_id.width(), i.barrier.id.width());
              never = c_.and_(never, -bv_.eq(bits(term::resize(ev.barrier_id, w, true)),
                                             bits(term::resize(i.barrier.id, w, true))));
            }
          }
          if (all_constant) there.push_back(never);
          all.push_back(c_.or_(std::move(there)));
          if (ev.barrier->arrive) continue;
          std::vector<Lit> grounds{-here, -exec(e)};
          if (all_constant) grounds.push_back(never);
          if (auto it = group.by_thread.find(t); it != group.by_thread.end())
            for (const Member& m : it->second) grounds.push_back(rests_on(e, here, m));
          c_.add(grounds);
        }
        may_pass = c_.and_(std::move(all));
      }
      if (!ev.barrier->arrive) {
        const Lit pass = lit(ev.pass);
        c_.add({-here, -pass, may_pass});
        c_.add({-here, pass, -may_pass});
      }
    }
  }
  for (uint32_t a : barriers_)
    for (uint32_t b : barriers_) {
      if (s_.events[b].barrier->arrive || !s_.compatible(a, b)) continue;
      std::vector<Lit> any;
      for (const auto& [k, g] : group_of[a])
        if (auto it = group_of[b].find(k); it != group_of[b].end() && it->second == g)
          any.push_back(c_.and_(arrived[a][k], arrived[b][k]));
      if (s_.events[a].barrier->by_value() && s_.events[b].barrier->by_value() && meet(a, b))
        for (const auto& [k, here] : arrived[a])
          if (auto it = arrived[b].find(k); it != arrived[b].end()) any.push_back(c_.and_(here, it->second));
      if (any.empty()) continue;
      Lit l = c_.and_({c_.or_(std::move(any)), both(a, b), same_id(a, b)});
      if (auto it = members_.find(a); it != members_.end()) l = c_.and_(l, it->second);
      if (!c_.is_false(l)) syncbar_[key(a, b)] = l;
    }
  forbid_cycles(c_, size(), std::move(edges), k_true);
}

// ---- final states ----------------------------------------------------------------------------------

Lit ProgramEncoding::complete() {
  std::vector<Lit> all;
  for (const SymThread& t : s_.threads) {
    std::vector<Lit> any;
    for (const Exit& x : t.exits)
      if (x.kind == Exit::Kind::end) any.push_back(lit(x.guard));
    all.push_back(c_.or_(std::move(any)));
  }
  return c_.and_(std::move(all));
}

Lit ProgramEncoding::blocked() {
  std::vector<Lit> all, waits;
  for (const SymThread& t : s_.threads) {
    std::vector<Lit> any;
    for (const Exit& x : t.exits) {
      if (x.kind != Exit::Kind::end && x.kind != Exit::Kind::blocked) continue;
      any.push_back(lit(x.guard));
      if (x.kind == Exit::Kind::blocked) waits.push_back(any.back());
    }
    all.push_back(c_.or_(std::move(any)));
  }
  all.push_back(c_.or_(std::move(waits)));
  return c_.and_(std::move(all));
}

Lit ProgramEncoding::cut() {
  std::vector<Lit> any;
  for (const SymThread& t : s_.threads)
    for (const Exit& x : t.exits)
      if (x.kind == Exit::Kind::stopped) any.push_back(c_.and_(lit(x.guard), lit(x.effect)));
  return c_.or_(std::move(any));
}

Bits ProgramEncoding::final_register(uint32_t thread, prog::RegId r, bool complete_only) {
  Bits out;
  for (const Exit& x : s_.threads[thread].exits) {
    if (complete_only && x.kind != Exit::Kind::end) continue;
    const Bits b = bits(x.registers[r]);
    out = out.empty() ? b : bv_.ite(lit(x.guard), b, out);
  }
  if (out.empty()) out = bv_.constant(0, test_.code(thread).registers[r].width);
  return out;
}

const std::vector<std::pair<uint32_t, Lit>>& ProgramEncoding::final_picks(prog::ObjectId object, uint64_t cell) {
  const Cell where{object, static_cast<uint32_t>(cell)};
  auto [it, fresh] = picks_.try_emplace(where);
  if (!fresh) return it->second;
  std::vector<uint32_t> candidates;
  for (uint32_t w : writes_)
    if (!c_.is_false(at(w, where)) && !c_.is_false(exec(w))) candidates.push_back(w);
  std::vector<std::pair<uint32_t, Lit>> picks;
  std::vector<Lit> all;
  for (uint32_t w : candidates) {
    const Lit p = candidates.size() == 1 ? k_true : c_.fresh();
    c_.add({-p, exec(w)});
    c_.add({-p, at(w, where)});
    for (uint32_t x : candidates)
      if (x != w && !c_.is_false(co(w, x))) c_.add({-p, -co(w, x), -at(x, where)});
    picks.push_back({w, p});
    all.push_back(p);
  }
  c_.add(all);
  if (all.size() > 1) c_.at_most_one(all);
  return picks_[where] = std::move(picks);
}

Bits ProgramEncoding::final_memory(prog::ObjectId object, uint64_t cell) {
  Bits out;
  for (const auto& [w, p] : final_picks(object, cell)) {
    const Bits b = bits(s_.events[w].value);
    out = out.empty() ? b : bv_.ite(p, b, out);
  }
  return out;
}

Bits ProgramEncoding::value_of(const prog::CondValue& v, bool complete_only) {
  switch (v.kind) {
    case prog::CondValue::Kind::reg: {
      Bits b = final_register(v.thread, v.reg, complete_only);
      b.resize(64, v.is_unsigned ? k_false : b.back());
      return b;
    }
    case prog::CondValue::Kind::location: {
      Bits b = final_memory(test_.symbols[v.symbol].object, v.cell);
      b.resize(64, v.is_unsigned ? k_false : b.back());
      return b;
    }
    case prog::CondValue::Kind::constant:
      return bv_.constant(v.constant, 64);
    case prog::CondValue::Kind::address:
      return bv_.constant(prog::address_of(test_.symbols[v.symbol].object, v.cell), 64);
  }
  return {};
}

Lit ProgramEncoding::condition(const prog::Cond& c, bool complete_only) {
  switch (c.kind) {
    case prog::Cond::Kind::always:
      return k_true;
    case prog::Cond::Kind::atom:
      return bv_.apply(c.cmp, 1, {value_of(c.lhs, complete_only), value_of(c.rhs, complete_only)})[0];
    case prog::Cond::Kind::not_:
      return -condition(c.kids[0], complete_only);
    case prog::Cond::Kind::and_:
    case prog::Cond::Kind::or_: {
      std::vector<Lit> ls;
      for (const prog::Cond& k : c.kids) ls.push_back(condition(k, complete_only));
      return c.kind == prog::Cond::Kind::and_ ? c_.and_(std::move(ls)) : c_.or_(std::move(ls));
    }
  }
  return k_true;
}

Bits ProgramEncoding::observable(const prog::Observable& o) {
  return o.is_register ? final_register(o.thread, o.reg, true) : final_memory(test_.symbols[o.symbol].object, o.cell);
}

}  // namespace fencepost::encode
