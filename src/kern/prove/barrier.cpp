// Meeting points: of the group, of the grid, of a warp; and the invariants that are handed over at them.
//
// At a meeting point of the group two things are asked: that both threads of the pair come to it or neither (barrier
// divergence), and, at barriers with invariants, that the invariant holds before; it is then assumed behind. Among the
// lanes of a warp whom a mask names must come with the same mask (CUDA C++ programming guide, "Synchronization
// functions"). What lanes exchange is any value, except what the guide fixes: the result of a vote, a ballot, a match
// or a reduction is the same for lanes that took part together, and a ballot has the bit of each of them. A vote orders
// no memory.
//
// Lost: to let a lane that works and then leaves the kernel count as exited without saying so. The guide waits for "all
// non-exited" lanes, PTX for those that come; such a proof now has an assumption (late_exit), and is tried without it
// first.
#include "ir/assembly.h"
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Execution::barrier(Activation& a, const Instruction& in, const Barrier& b, Pair guard, Mode mode) {
  ++position_;
  if (!lock_values_.empty()) trace.meetings.push_back({position_, loops_around_});
  if (!in.results.empty()) {
    const bool shared = pairing_ == Pairing::same_group && b.scope == Scope::group && mode.lockstep;
    set(a, in.results[0], unknown(width(a.f->value(in.results[0]).type), "reduction", shared));
  }
  // A whole warp comes only where no thread of it can have left the kernel; else each barrier says who comes.
  const bool all_there = b.scope != Scope::warp || (pool_.is_false(ended(0)) && pool_.is_false(ended(1)));
  if (b.scope == Scope::warp && !(lanes_ == Lanes::same_warp && flow::whole_warp(*a.f, b) && all_there))
    return warp_barrier(a, in, b, guard, mode);
  if (b.mask && b.scope != Scope::warp) {
    unsupported.insert("a barrier with a mask");
    return;
  }
  const NamedBarriers::Operands numbers = numbers_of(a, b);
  if (named_.some_threads(b, numbers, guard)) return named_barrier(b, numbers, guard, mode);
  const bool device = b.scope != Scope::group && b.scope != Scope::warp;
  // A trap ends the kernel: nobody passes a barrier for which a thread does not come because of one.
  const Pair come = {pool_.any(guard[0], trapped_[0]), pool_.any(guard[1], trapped_[1])};
  BarrierRecord r;
  r.position = position_;
  r.guard = come;
  r.device = device;
  if (b.scope == Scope::warp) r.by = order::Provider::warp;
  const Pair lf = b.local_fence ? get(a, b.local_fence) : both(pool_.no());
  const Pair gf = b.global_fence ? get(a, b.global_fence) : both(pool_.no());
  r.local = all(come, lf);
  r.global = all(come, gf);
  const bool meets = pairing_ == Pairing::same_group || device;
  assert_barrier_invariants(a, guard, mode);
  for (auto& [key, set] : sets_) {
    const Space space = m_.region({key.first}).space;
    const Pair& cleared = space == Space::group ? r.local : r.global;
    if (mode.check)
      for (const size_t t : k_both) set.occurred[t] = pool_.all(set.occurred[t], pool_.not_(cleared[t]));
  }
  r.position = ++position_;
  if (mode.log && b.scope != Scope::warp) proxies_.meeting(guard);
  if (mode.log && b.scope == Scope::group && always(lf) && always(gf)) mbarriers_.meeting(guard);
  if (meets) {
    const Term same = pool_.eq(guard[0], guard[1]);
    const Term apart = pool_.all({pool_.not_(same), pool_.not_(trapped_[0]), pool_.not_(trapped_[1])});
    Obligation* o = oblige(Kind::barrier_divergence, apart, in.place, true, mode);
    if (o != nullptr && guard[0] != guard[1] && named_.at_several_places(b, numbers)) {
      o->open = "threads meet at the other barriers of its number";
      perhaps = "a barrier of one number at several places";
    }
    const bool elsewhere = b.scope == Scope::group && mbarriers_.may_arrive_elsewhere();
    if (o != nullptr && elsewhere && guard[0] != guard[1]) o->open = "threads arrive at the barrier object elsewhere";
    // The guide asks that all threads come. PTX waits for those that have not exited, wherever their barrier stands.
    if (o != nullptr && b.wait) o->open = "all threads of the cluster come to its barrier";
    if (mode.lockstep) fact(pool_.yes(), same, 0, true);
    if (mode.log) {
      trace.barriers.push_back(r);
      if (b.scope != Scope::warp) named_.meeting(numbers, come, always(lf) && always(gf));
      if (always(r.local)) ++local_segment_;
      if (always(r.global)) ++global_segment_;
    }
  }
  if ((tickets_possible_ || messages_possible_ || updates_possible_) && mode.log && !meets && b.scope == Scope::group &&
      loops_around_.empty())
    trace.group_barriers.push_back(r);
  if (mode.log && b.scope != Scope::warp && loops_around_.empty() && always(r.local)) {
    meetings_of_all_.push_back(position_);
    settle(a, in);
  }
  if (b.scope != Scope::warp) {
    masters.meet();
    if (always(guard)) maybe_held_ = false;
  }
  // Others may have written meanwhile. Two groups see the same only if nothing orders them one after the other.
  const bool alike = mode.lockstep && (meets || !messages_possible_);
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t x = 0; x < m_.regions.size(); ++x) {
    if (e.writes[x] == 0 || memory.adversarial({x})) continue;
    const Space space = m_.regions[x].space;
    if (space == Space::group && !(b.scope != Scope::warp && masters.untouched({x})))
      memory.forget({x}, r.local, alike);
    if (space == Space::global) memory.forget({x}, r.global, alike);
  }
  if (b.scope != Scope::warp) {
    masters.contents(r.local);
    if (always(r.local)) masters.touched({});
  }
  assume_barrier_invariants(a, guard, mode);
}

// Whether barriers of the group, and not only objects in shared memory (mbarriers.h), stand in each iteration of a loop
// that is run in step.
bool Execution::met_by_barriers(const Activation& a, uint32_t l) const {
  if (!mbarriers_.expected()) return true;
  const auto on = [&](ValueId v) {
    return v && a.f->value(v).kind == Value::constant && (a.f->value(v).constant_bits & 1) != 0;
  };
  bool waits = false;
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (const auto* c = std::get_if<Call>(&in.action))
        for (const FunctionId f : flow::targets(*c)) waits = waits || effects_.function(f).group_barrier;
      const auto* m = std::get_if<Barrier>(&in.action);
      if (m != nullptr && m->scope != Scope::warp && !m->arrive && !m->count && !m->mask && on(m->local_fence) &&
          on(m->global_fence) && a.cfg->dominates(b, a.cfg->loops()[l].latch))
        return true;
    }
  return !waits;
}

// Whether threads go through the loop one by one, in step by objects in shared memory alone, of which each iteration
// takes others; or only some go through it (rings.h).
bool Execution::around_rings(Activation& a, uint32_t l, Pair entry) const {
  if (!mbarriers_.expected() || loops_around_.size() != 1) return false;
  bool uses = false, next = false, turns = false;
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (std::holds_alternative<Barrier>(in.action) || std::holds_alternative<WarpExchange>(in.action)) return false;
      if (const auto* c = std::get_if<Call>(&in.action))
        for (const FunctionId f : flow::targets(*c)) {
          const flow::FunctionEffects& e = effects_.function(f);
          const auto assembly = assembly_effect(m_.function(f));
          const bool use = assembly && assembly->kind == "barrier" && assembly->instruction != k_arrive_and_wait;
          next = next || use;
          uses = uses || use;
          if (!use && (e.group_barrier || e.warp_barrier || e.device_barrier)) return false;
        }
      // The access behind the call.
      const auto* at = std::get_if<Atomic>(&in.action);
      if (at == nullptr) continue;
      turns = turns || (next && !a.recurrences->invariant(l, at->access.pointer));
      next = false;
    }
  return uses && (turns || entry[0] != entry[1]);
}

NamedBarriers::Operands Execution::numbers_of(Activation& a, const Barrier& b) {
  NamedBarriers::Operands out;
  if (b.name) out.name = get(a, b.name);
  if (b.count) out.count = get(a, b.count);
  return out;
}

// One that some threads of the group take part in.
void Execution::named_barrier(const Barrier& b, const NamedBarriers::Operands& numbers, Pair guard, Mode mode) {
  if (!named_.decidable(b, numbers)) return;
  ++position_;
  if (mode.log && of_one_group()) named_.come(b, numbers, guard, second_);
  ++position_;
  // What others have written before they came is seen from here on.
  if (!b.arrive) forget_written(guard, {Space::group, Space::global});
}

// Whether a mask of lanes names the thread.
Term Execution::named(Term mask, int thread) {
  const uint8_t w = pool_.width(mask);
  if (options_.warp_size <= w && pool_.is_constant(mask) &&
      (~pool_.value(mask) & formula::ones(static_cast<uint8_t>(options_.warp_size))) == 0)
    return pool_.yes();
  const Term lane = pool_.urem(flat_id(static_cast<size_t>(thread)), pool_.constant(options_.warp_size, 32));
  const Term at = w > 32 ? pool_.zext(lane, w) : pool_.extract(lane, 0, w);
  return pool_.extract(pool_.lshr(mask, at), 0, 1);
}

// Whom a mask names has the same mask (CUDA C++ programming guide, "Synchronization functions": with the same mask, or
// the result is undefined).
void Execution::one_mask(Pair mask, Pair guard, PlaceId place, Mode mode) {
  if (options_.warp_sync != 0 || mask[0] == mask[1]) return;
  warp_comes(pool_.all({guard[0], guard[1], same_warp, named(mask[0], 1), pool_.ne(mask[0], mask[1])}), place, true,
             mode);
}

// A barrier of the warp, for pairs of which it is not known that both take part in it. Whom the mask names must come.
void Execution::warp_barrier(Activation& a, const Instruction& in, const Barrier& b, Pair guard, Mode mode) {
  const bool fences = !b.mask || !pool_.is_constant(get(a, b.mask)[0], 0);
  if (b.mask && options_.warp_barriers)
    warp_comes(pool_.all(guard[0], pool_.not_(named(get(a, b.mask)[0], 0))), in.place, false, mode);
  if (mode.lockstep && !pool_.is_false(same_warp) && options_.warp_barriers) {
    std::vector<Term> takes_part{same_warp};
    if (b.mask) {
      const Pair mask = get(a, b.mask);
      for (const int t : {0, 1})
        for (const size_t u : k_both) takes_part.push_back(pool_.implies(guard[u], named(mask[u], t)));
    }
    const Term meets = pool_.all(std::move(takes_part));
    if (b.mask) one_mask(get(a, b.mask), guard, in.place, mode);
    // In lock-step there is nothing to wait for.
    if (options_.warp_sync == 0) all_come(b.mask ? get(a, b.mask) : Pair{}, guard, in.place, mode);
    if (mode.log && fences) {
      BarrierRecord r;
      r.position = ++position_;
      const Pair lf = b.local_fence ? get(a, b.local_fence) : both(pool_.yes());
      const Pair gf = b.global_fence ? get(a, b.global_fence) : both(pool_.yes());
      r.guard = guard;
      r.local = all(guard, lf);
      r.global = all(guard, gf);
      r.meets = meets;
      r.by = order::Provider::warp;
      trace.barriers.push_back(r);
    }
  }
  // What others of the warp have written is seen from here on.
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t x = 0; x < m_.regions.size(); ++x) {
    const Space space = m_.regions[x].space;
    if (e.writes[x] != 0 && !memory.adversarial({x}) && (space == Space::group || space == Space::global))
      memory.forget({x}, guard, mode.lockstep && lanes_ == Lanes::same_warp);
  }
  ++position_;
}

// A mask of the threads that execute the instruction together names the caller, and whom it names has come here and
// has the same mask. Which they are is not known.
void Execution::active(Pair mask, Pair guard, Mode mode) {
  for (const int t : {0, 1}) fact(guard[static_cast<size_t>(t)], named(mask[static_cast<size_t>(t)], t), t);
  if (!mode.lockstep || pool_.is_false(same_warp)) return;
  for (const size_t t : k_both)
    fact(pool_.all({same_warp, guard[t], named(mask[t], static_cast<int>(1 - t))}),
         pool_.all(guard[1 - t], pool_.eq(mask[0], mask[1])), 0, true);
  // Each lane is of one such set.
  fact(pool_.all({same_warp, guard[0], guard[1]}),
       pool_.any(pool_.eq(mask[0], mask[1]),
                 pool_.eq(pool_.and_(mask[0], mask[1]), pool_.constant(0, pool_.width(mask[0])))),
       0, true);
}

// What a vote, a ballot, a match or a reduction among the lanes of a mask gives, as far as lanes of the pair go: the
// bit of each that takes part, and that those who take part together get the same (CUDA C++ programming guide, "Warp
// vote functions", "Warp match functions"; PTX ISA, vote.sync, match.sync: bits of lanes that are not in the mask, or
// have exited, are 0). For any guards, masks and operands there is such a result, so that the obligations of the
// exchange itself gain nothing from it.
void Execution::agreed(const WarpExchange& w, Pair mask, Pair given, Pair result, Pair guard, Mode mode) {
  const bool bits = w.kind == WarpExchange::ballot || w.kind == WarpExchange::match_any;
  const auto said = [&](size_t t) { return pool_.ne(given[t], pool_.constant(0, pool_.width(given[t]))); };
  const uint8_t wide = pool_.width(result[0]);
  for (const size_t t : k_both) {
    const int thread = static_cast<int>(t);
    if (bits) {
      const Term own = w.kind == WarpExchange::ballot ? said(t) : pool_.yes();
      fact(pool_.all(guard[t], named(mask[t], thread)), pool_.eq(named(result[t], thread), own), thread);
      fact(guard[t], pool_.eq(pool_.and_(result[t], pool_.not_(mask[t])), pool_.constant(0, wide)), thread);
    } else if (w.kind == WarpExchange::vote_any) {
      fact(guard[t], pool_.implies(said(t), result[t]), thread);
    } else if (w.kind == WarpExchange::vote_all) {
      fact(guard[t], pool_.implies(result[t], said(t)), thread);
    }
  }
  const bool lanes_known = options_.warp_sync == 0 || options_.warp_sync == options_.warp_size;
  if (!mode.lockstep || pool_.is_false(same_warp) || !options_.warp_barriers || !lanes_known) return;
  const Term together = pool_.all({same_warp, guard[0], guard[1], named(mask[0], 1), named(mask[1], 0)});
  const Term alike = pool_.eq(given[0], given[1]), same = pool_.eq(result[0], result[1]);
  fact(together, w.kind == WarpExchange::match_any ? pool_.implies(alike, same) : same, 0, true);
  if (!bits) return;
  // Each lane has one number, and is of one such set.
  if (w.kind == WarpExchange::match_any)
    fact(together, pool_.any(same, pool_.eq(pool_.and_(result[0], result[1]), pool_.constant(0, wide))), 0, true);
  for (const size_t t : k_both) {
    const size_t u = 1 - t;
    const Term other = named(result[t], static_cast<int>(u));
    fact(together, pool_.eq(other, w.kind == WarpExchange::ballot ? said(u) : alike), 0, true);
    // Whom the result names has taken part.
    fact(pool_.all({same_warp, guard[t], other}), pool_.all(guard[u], named(mask[u], static_cast<int>(t))), 0, true);
  }
}

// Whether a mask names a lane, by its number.
Term Execution::named_lane(Term mask, Term lane) {
  const uint8_t w = pool_.width(mask);
  return pool_.extract(pool_.lshr(mask, w > 32 ? pool_.zext(lane, w) : pool_.extract(lane, 0, w)), 0, 1);
}

// Masks that lanes agree on, outside of loops.
void Execution::note_agreed(Activation& a, const WarpExchange& w, Pair result, Pair guard, Mode mode) {
  const bool ballot = w.kind == WarpExchange::ballot;
  if (!mode.lockstep || !loops_around_.empty() || options_.warp_sync != 0 || options_.warp_size != 32 ||
      !options_.warp_barriers || (w.kind != WarpExchange::active_mask && w.kind != WarpExchange::match_any && !ballot))
    return;
  Agreed g{.result = result, .guard = guard, .ballot = ballot, .leaving = leaving_.size()};
  for (const size_t t : k_both) {
    if (pool_[result[t]].op != formula::Op::variable || pool_.width(result[t]) < 32) return;
    if (!ballot) continue;
    g.mask[t] = get(a, w.mask)[t];
    const Term said = get(a, w.operands[0])[t];
    g.given[t] = pool_.ne(said, pool_.constant(0, pool_.width(said)));
  }
  agreed_.push_back(std::move(g));
}

// A shuffle from one lane, of which its mask names that lane (`base = atomicAdd(n, 32)` by the first, then
// `__shfl_sync(~0u, base, 0)`; or by the lowest of `m = __activemask()`, of a ballot or of a match): what that lane
// has, with its id and unknowns of its own, if it comes too. Two lanes of a warp get the same from one lane, and the
// tickets of two such lanes are apart like those of any two threads.
//
// What the lane has of a mask that lanes agree on is what this thread has of it, if the lane took part (agreed_): it is
// named by the result, or it came to a ballot whose mask names it. Whom the result names has come there, and comes
// here, too, if this mask names it and no way out of the kernel lies between: else all_come() fails.
// (`part`: the lane took part in all that is kept, each of which stands on those before it.)
// Outside of loops, where each lane is here once; where a warp is 32 neighbours along the first axis.
void Execution::led(Activation& a, const WarpExchange& w, Pair result, Pair guard, Mode mode) {
  const auto& sizes = options_.launch.local_size;
  const bool flat = (sizes[1] == 1 && sizes[2] == 1) || (sizes[0] != 0 && sizes[0] % 32 == 0);
  if (w.kind != WarpExchange::shuffle || !w.mask || w.operands.size() < 3 || options_.warp_size != 32 ||
      options_.warp_sync != 0 || !options_.warp_barriers || !mode.lockstep || !loops_around_.empty() || !flat)
    return;
  const Pair given = get(a, w.operands[0]), mask = get(a, w.mask);
  Pair lane = get(a, w.operands[1]);
  if (!every(get(a, w.operands[2]), 32) || pool_.width(given[0]) != pool_.width(result[0]) ||
      pool_.width(lane[0]) != 32 || pool_.width(mask[0]) < 32)
    return;
  Pair value, comes;
  const size_t before = tickets.size();
  std::vector<std::vector<Ticket>> taken(2);
  // The masks that it is about.
  std::array<std::vector<const Agreed*>, 2> kept;
  for (const size_t t : k_both) {
    std::set<uint64_t> about;
    const auto of = [&](Term x) {
      if (!x) return;
      const std::vector<uint64_t> names = formula::names(pool_, x);
      about.insert(names.begin(), names.end());
    };
    for (const Term x : {given[t], mask[t], lane[t]}) of(x);
    for (size_t k = 0; k < before; ++k)
      if (const Ticket& m = tickets[k]; !m.maker[0] && about.contains(pool_[m.value[t]].value))
        for (const Term x : {m.guard[t], m.offset[t], m.amount[t]}) of(x);
    for (const Agreed& g : agreed_)
      if (about.contains(pool_[g.result[t]].value)) kept[t].push_back(&g);
    if (kept[t].empty() && !pool_.is_constant(lane[t])) return;
  }
  Pair maker;
  for (const size_t t : k_both) {
    lane[t] = pool_.and_(lane[t], pool_.constant(31, 32));
    const Term id = local_id[t][0], leader = pool_.or_(pool_.and_(id, pool_.constant(0xffffffe0u, 32)), lane[t]);
    maker[t] = pool_.add(flat_id(t), pool_.sub(leader, id));
    const formula::Node n = pool_[id];
    const Term variable = n.op == formula::Op::variable ? id : n.op == formula::Op::zext ? n.kids[0] : Term{};
    if (!variable) return;
    std::unordered_map<uint32_t, Term> memo;
    memo.emplace(variable.id, pool_.extract(leader, 0, pool_.width(variable)));
    for (const Agreed* g : kept[t]) memo.emplace(g->result[t].id, g->result[t]);
    const Term exists = pool_.ult(leader, local_size[0]);
    std::vector<Term> came, took_part{exists};
    std::vector<std::pair<Term, Term>> said;
    for (const Agreed* g : kept[t]) {
      const Term bit = named_lane(g->result[t], lane[t]), there = masters.as_another(g->guard[t], memo);
      said.emplace_back(pool_.all(g->guard[t], bit), there);
      if (g->ballot) said.emplace_back(said.back().first, masters.as_another(g->given[t], memo));
      if (g->leaving == leaving_.size()) came.push_back(bit);
      took_part.push_back(g->ballot ? pool_.any(bit, pool_.all({g->guard[t], named_lane(g->mask[t], lane[t]), there}))
                                    : bit);
    }
    const Term part = pool_.all(std::move(took_part));
    for (const auto& [named, there] : said) fact(pool_.all(named, part), there, static_cast<int>(t));
    value[t] = masters.as_another(given[t], memo);
    came.push_back(pool_.all(part, masters.as_another(guard[t], memo)));
    comes[t] = pool_.all(named_lane(mask[t], lane[t]), pool_.any(std::move(came)));
    for (size_t k = 0; k < before; ++k) {
      Ticket m = tickets[k];
      if (m.maker[0] || !m.loops.empty() || m.until != ~0u) continue;
      m.guard[t] = pool_.all(part, masters.as_another(m.guard[t], memo));
      m.offset[t] = masters.as_another(m.offset[t], memo);
      m.value[t] = masters.as_another(m.value[t], memo);
      if (m.amount[0]) m.amount[t] = masters.as_another(m.amount[t], memo);
      taken[t].push_back(std::move(m));
    }
    fact(pool_.all({guard[t], comes[t], part}), pool_.eq(result[t], value[t]), static_cast<int>(t));
  }
  for (size_t k = 0; k < taken[0].size(); ++k) {
    Ticket m = std::move(taken[0][k]);
    m.guard[1] = taken[1][k].guard[1];
    m.offset[1] = taken[1][k].offset[1];
    m.value[1] = taken[1][k].value[1];
    m.amount[1] = taken[1][k].amount[1];
    m.maker = maker;
    tickets.push_back(std::move(m));
  }
  fact(pool_.all({same_warp, guard[0], guard[1], comes[0], comes[1], pool_.eq(lane[0], lane[1])}),
       pool_.eq(result[0], result[1]), 0, true);
}

// Whether each lane may choose it as it likes, so that any result of a vote on it is possible (cub.hdr).
bool Execution::free_choice(const Activation& a, ValueId v) const {
  const Instruction* in = a.recurrences->definition(v);
  const auto* c = in != nullptr ? std::get_if<Compute>(&in->action) : nullptr;
  if (c == nullptr) return false;
  if (c->op == Op::any) return c->imm == 0;
  return c->op == Op::ne && a.f->value(c->operands[1]).kind == Value::constant && free_choice(a, c->operands[0]);
}

// What lanes exchange is any value, but for what lanes of one mask agree on; a vote of the whole warp is the same for
// both. Memory is not ordered. Whom a mask names must come, and it must name the caller.
void Execution::exchange(Activation& a, const Instruction& in, const WarpExchange& w, Pair guard, Mode mode) {
  ++position_;
  if (w.kind == WarpExchange::tile) return tile(a, in, w, guard, mode);
  if (!in.results.empty()) {
    const uint8_t bits = width(a.f->value(in.results[0]).type);
    const bool vote = w.kind == WarpExchange::vote_any || w.kind == WarpExchange::vote_all;
    const bool agree = w.mask && (vote || w.kind == WarpExchange::ballot || w.kind == WarpExchange::match_any ||
                                  w.kind == WarpExchange::reduce);
    const bool whole =
        w.mask && named(get(a, w.mask)[0], 0) == pool_.yes() && named(get(a, w.mask)[1], 1) == pool_.yes();
    const bool shared =
        whole && agree && w.kind != WarpExchange::match_any && lanes_ == Lanes::same_warp && mode.lockstep;
    const bool chosen = agree && !w.operands.empty() && free_choice(a, w.operands[0]);
    Pair r = unknown(vote ? uint8_t{1} : bits, chosen ? "choice" : k_exchanged, shared);
    if (agree) agreed(w, get(a, w.mask), get(a, w.operands[0]), r, guard, mode);
    note_agreed(a, w, r, guard, mode);
    led(a, w, r, guard, mode);
    if (vote && bits > 1) r = {pool_.zext(r[0], bits), pool_.zext(r[1], bits)};
    set(a, in.results[0], r);
    if (w.kind == WarpExchange::active_mask && options_.warp_size > 0 && options_.warp_size <= bits)
      active(r, guard, mode);
  }
  if (!options_.warp_barriers || w.kind == WarpExchange::active_mask) return;
  if (!w.mask) {
    // OpenCL: all work items of the sub-group come, or none does.
    if (m_.dialect != Dialect::opencl || !mode.lockstep || pool_.is_false(same_warp) || options_.warp_sync != 0) return;
    oblige(Kind::barrier_divergence, pool_.all(same_warp, pool_.not_(pool_.eq(guard[0], guard[1]))), in.place, true,
           mode);
    return;
  }
  const Pair mask = get(a, w.mask);
  warp_comes(pool_.all(guard[0], pool_.not_(named(mask[0], 0))), in.place, false, mode);
  if (!mode.lockstep || pool_.is_false(same_warp) || options_.warp_sync != 0) return;
  one_mask(mask, guard, in.place, mode);
  all_come(mask, guard, in.place, mode);
}

// Whom a mask names comes, or leaves the kernel early.
void Execution::all_come(Pair mask, Pair guard, PlaceId place, Mode mode) {
  warp_comes(pool_.all({same_warp, guard[0], pool_.not_(guard[1]), pool_.not_(ended(1)),
                        mask[0] ? named(mask[0], 1) : pool_.yes()}),
             place, true, mode);
}

// What must not be of a meeting point of lanes. Of lanes that leave a loop one by one, with masks that tell who is
// left, nothing is known here.
void Execution::warp_comes(Term failing, PlaceId place, bool both, Mode mode) {
  Obligation* o = oblige(Kind::barrier_divergence, failing, place, both, mode);
  if (o != nullptr && parting_ > 0) o->open = "masks leave out the lanes that have left the loop";
}

// Whether lanes of a warp meet in a loop by a mask that may leave lanes out.
bool Execution::some_lanes(const Activation& a, uint32_t l) const {
  if (lanes_ != Lanes::same_warp) return false;
  const auto part = [&](ValueId mask) {
    if (!mask) return false;
    const Value& v = a.f->value(mask);
    return v.kind != Value::constant || (v.constant_bits & 0xffffffffu) != 0xffffffffu;
  };
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (const auto* w = std::get_if<WarpExchange>(&in.action); w != nullptr && part(w->mask)) return true;
      if (const auto* m = std::get_if<Barrier>(&in.action); m != nullptr && part(m->mask)) return true;
    }
  return false;
}

void Execution::note_leaving(const Activation& a, BlockId to, Pair edge) {
  // In OpenCL all work items of the sub-group must come.
  if (m_.dialect != Dialect::cuda || !a.entry || !a.f->kernel || !loops_around_.empty()) return;
  if (way_out_ == nullptr) way_out_ = std::make_unique<Leaving>(m_, entry_, *a.cfg);
  if (way_out_->quiet(to)) leaving_.emplace_back(to, edge);
}

// The thread leaves the kernel early, seen from the meeting point that is being run (leaving.h).
Term Execution::ended(size_t thread) {
  std::vector<Term> any;
  for (const auto& [to, edge] : leaving_) {
    if (pool_.is_false(edge[thread]) || !way_out_->leaves(to, entry_block_)) continue;
    if (!way_out_->bare(to)) {
      if (!options_.late_exits) continue;
      assumptions.insert(order::late_exit());
    }
    any.push_back(edge[thread]);
  }
  return pool_.any(std::move(any));
}

// A matrix function of a warp: all its threads come to it, in lock-step too, and their operands are equal; else it is
// not defined (CUDA C++ programming guide, "Warp matrix functions"; PTX ISA 9.7.14, wmma). A warp is 32 threads: the
// rest of a block that is no multiple of it cannot come whole.
void Execution::tile(Activation& a, const Instruction& in, const WarpExchange& w, Pair guard, Mode mode) {
  const uint32_t lanes = options_.warp_sync > 0 ? options_.warp_sync : options_.warp_size;
  if (lanes == 0 || !options_.warp_barriers) {
    unsupported.insert("a matrix function of warps of any size");
    return;
  }
  uint64_t threads = 1;
  bool open = false;
  for (const uint64_t n : options_.launch.local_size) {
    open = open || n == 0;
    threads *= n == 0 ? 1 : n;
  }
  if (threads % lanes != 0 && open) {
    assumptions.insert(
        {"blocks are whole warps: else a matrix function is not defined", order::Assumption::whole_warps});
  } else if (threads % lanes != 0) {
    const Term whole = pool_.constant((threads - threads % lanes) & 0xffffffffu, 32);
    oblige(Kind::warp_operands, pool_.all(guard[0], pool_.ule(whole, flat_id(0))), in.place, false, mode);
  }
  arrival_ = {};
  if (pairing_ != Pairing::same_group || pool_.is_false(same_warp)) return;
  if (!mode.lockstep) {
    if (mode.check) unsupported.insert("a matrix function in a loop that threads of a warp may leave one by one");
    return;
  }
  std::vector<Term> differ{pool_.not_(pool_.eq(guard[0], guard[1]))};
  for (const ValueId v : w.operands) differ.push_back(pool_.ne(get(a, v)[0], get(a, v)[1]));
  oblige(Kind::warp_operands, pool_.all({pool_.any(guard[0], guard[1]), same_warp, pool_.any(std::move(differ))}),
         in.place, true, mode);
  // Without a pointer it is arithmetic alone.
  const Term at = get(a, w.operands[0])[0];
  if (mode.log && !(pool_.is_constant(at) && pool_.value(at) == 0))
    arrival_ = {position_, pool_.all({same_warp, guard[0], guard[1]})};
}

// Before the barrier every thread shows the invariant for itself; after it, it may be assumed of the threads named.
void Execution::assert_barrier_invariants(Activation& a, Pair guard, Mode mode) {
  for (const Instruction* in : a.barrier_invariants) {
    const auto& b = std::get<BarrierInvariant>(in->action);
    if (b.binary && pairing_ != Pairing::same_group) continue;  // of two threads of one group
    ++position_;
    of_both_ = b.binary;
    const Term holds = pure(a, b.condition, 0, mode, nullptr);
    of_both_ = false;
    const Term reached = b.binary ? pool_.all(guard[0], guard[1]) : guard[0];
    oblige(Kind::barrier_invariant, pool_.all(reached, pool_.not_(holds)), in->place,
           b.binary || mentions_other(a, b.condition), mode);
    if (!mode.log || !options_.barrier_access_checks) continue;
    const size_t before = trace.accesses.size();
    if (b.binary)
      log_reads_of_pairs(a, b.condition, guard, in->place, mode);
    else
      log_spec_reads(a, b.condition, guard, in->place, mode);
    for (size_t i = before; i < trace.accesses.size(); ++i) trace.accesses[i].spec = true;
  }
}

// What a thread and any other read of memory must not be what a third one writes. (What these two write themselves is
// in the formula.) The third is the thread that the pair of this run has besides the reader, and the reader's partner
// is one with an id and unknowns of its own.
void Execution::log_reads_of_pairs(Activation& a, ValueId condition, Pair guard, PlaceId place, Mode mode) {
  std::array<std::unordered_map<uint32_t, Term>, 2> third;
  Pair reached = guard;
  for (const size_t t : k_both) {
    std::vector<Term> bounds, from_reader, from_writer;
    for (const size_t d : k_dimensions) {
      const Term theirs = local_id[1 - t][d];
      if (pool_.is_constant(theirs)) continue;
      const formula::Node n = pool_[theirs];
      const Term v = n.op == formula::Op::zext ? n.kids[0] : theirs;
      const Term fresh = pool_.variable(pool_.width(v), "partner");
      third[1 - t].emplace(v.id, fresh);
      const Term id = n.op == formula::Op::zext ? pool_.zext(fresh, n.width) : fresh;
      bounds.push_back(pool_.ult(id, local_size[d]));
      from_reader.push_back(pool_.ne(id, local_id[t][d]));
      from_writer.push_back(pool_.ne(id, theirs));
    }
    reached[t] = pool_.all({reached[t], pool_.all(std::move(bounds)), pool_.any(std::move(from_reader)),
                            pool_.any(std::move(from_writer))});
  }
  third_ = &third;
  log_spec_reads(a, condition, reached, place, mode);
  third_ = nullptr;
}

void Execution::assume_barrier_invariants(Activation& a, Pair guard, Mode mode) {
  const auto id_of = [&](ValueId v, int t) {
    const Term id = pure(a, v, t, mode, nullptr);
    return pool_.width(id) > 32 ? pool_.extract(id, 0, 32) : pool_.zext(id, 32);
  };
  for (const Instruction* in : a.barrier_invariants) {
    const auto& b = std::get<BarrierInvariant>(in->action);
    if (b.binary && (pairing_ != Pairing::same_group || !mode.lockstep)) continue;
    const size_t step = b.binary ? 2 : 1;
    for (size_t n = 0; n + step <= b.instances.size(); n += step)
      for (const int t : {0, 1}) {
        const auto i = static_cast<size_t>(t);
        const Term id = id_of(b.instances[n], t), other = b.binary ? id_of(b.instances[n + 1], t) : id;
        Term exists = pool_.ult(id, local_size[0]);
        // Shown for two different threads.
        if (b.binary) exists = pool_.all({exists, pool_.ult(other, local_size[0]), pool_.ne(id, other)});
        id_instance_[i] = id;
        if (b.binary) id_instance_[1 - i] = other;
        const Term holds = pure(a, b.condition, t, mode, nullptr);
        id_instance_[0] = id_instance_[1] = {};
        fact(pool_.all(b.binary ? pool_.all(guard[0], guard[1]) : guard[i], exists), holds, t, b.binary);
      }
  }
  a.barrier_invariants.clear();
}

}  // namespace fencepost::prove
