// Loops as arbitrary iterations; execute.h says how. In this file: the facts that hold of iteration k, the candidates
// that are tried as invariants, and the two shapes that a loop can take (once for its accesses, or iteration k beside
// k+1 where threads meet inside it).
//
// Facts about k come in after the questions about the loop's entry, never before: what is assumed of the unknown values
// may contradict itself where an invariant is false at the start, and everything would then be proved.
//
// Added since, each for kernels that were refuted wrongly before:
//   - buffers that change places, swap(from, to), and circles of up to four: after k iterations each has what the one k
//     places on began with;
//   - copies of one thread that last beyond an iteration (cp.async with wait_group N): as many iterations are run one
//     behind the other as a copy may last; what is older has been waited for, and that is asked;
//   - what a flag or a lock has told in an earlier iteration is forgotten at the header.
// Lost: one state of global memory for all groups at a point where a turn is handed on; a race that followed from the
// change of a value that was read in two turns was missed.
#include <algorithm>
#include <bit>

#include "base/diagnostic.h"
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

Execution::Phis Execution::incoming(Activation& a, uint32_t l, bool latch) {
  const Loop& loop = a.cfg->loops()[l];
  Phis r;
  for (const Instruction& in : a.f->blocks[loop.header.index].instructions) {
    const auto* phi = std::get_if<Phi>(&in.action);
    if (phi == nullptr) continue;
    for (const Phi::Entry& e : phi->entries)
      if ((e.from == loop.latch) == latch) r.emplace_back(in.results[0], get(a, e.value));
  }
  return r;
}

// Phis of one header that hand their values on in a circle, `swap(from, to)`: after k iterations the first of them has
// what the one k places on began with. From v on; empty: v is in no such circle, or in a long one.
std::vector<ValueId> Execution::rotation(const Activation& a, uint32_t l, ValueId v) const {
  const Loop& loop = a.cfg->loops()[l];
  const auto next = [&](ValueId x) {
    const Instruction* in = a.recurrences->definition(x);
    const auto* phi = in == nullptr ? nullptr : std::get_if<Phi>(&in->action);
    if (phi == nullptr || a.recurrences->block_of(x) != loop.header) return ValueId{};
    for (const Phi::Entry& e : phi->entries)
      if (e.from == loop.latch) return e.value;
    return ValueId{};
  };
  std::vector<ValueId> circle;
  ValueId at = v;
  do {
    circle.push_back(at);
    at = next(at);
    if (!at || circle.size() > 4) return {};
  } while (at != v);
  return circle;
}

// What the k-1st iteration shows by having come back: every condition that is a function of k alone, one k earlier.
void Execution::come_back_facts(LoopRun& run, Term latch, int thread) {
  const auto t = static_cast<size_t>(thread);
  if (!run.k_variable[t]) return;
  const Term variable = run.k_variable[t];
  const uint8_t bits = pool_.width(variable);
  const uint64_t k_name = pool_.value(variable);
  const Term is_first = pool_.eq(run.k[t], pool_.constant(0, k_count_width));
  for (Term c : pool_.conjuncts(latch)) {
    bool about_k = false, other = false;
    for (uint64_t n : formula::names(pool_, c)) {
      if (n == k_name) {
        about_k = true;
      } else if (n < formula::k_function) {
        other = other || n >= run.first_variable;
      } else {
        const std::string& s = pool_.symbol_name(n - formula::k_function);
        const bool contents = s.size() > 1 && s[0] == 'm' && s[1] >= '0' && s[1] <= '9';
        other = other || (contents && n - formula::k_function >= run.first_symbol);
      }
    }
    if (!about_k || other) continue;
    const Term before_this = bits == 1 ? pool_.constant(0, 1) : pool_.sub(variable, pool_.constant(1, bits));
    for (const Term earlier : {before_this, pool_.constant(0, bits)}) {
      std::unordered_map<uint32_t, Term> memo{{variable.id, earlier}};
      const Term before = pool_.any({is_first, pool_.not_(run.entry[t]), pool_.substitute(c, memo)});
      if (pool_.is_true(before)) continue;
      fact(pool_.yes(), before, thread);
      trace.facts.back().from = {run.position, run.position};
    }
  }
}

bool Execution::essential(FunctionId f, ValueId v) {
  auto it = essential_.find(f.index);
  if (it == essential_.end()) {
    const flow::FunctionEffects& e = effects_.function(entry_);
    const auto watched = [&](RegionId r) {
      // Accesses that may go wrong in other ways than by a race are looked at too.
      const Region& region = m_.region(r);
      return conflicts_possible(r) || (options_.check_bounds && region.size) ||
             (region.space == Space::constant && e.writes[r.index] != 0);
    };
    it = essential_.emplace(f.index, flow::essential(m_, effects_.cfg(f), f, watched)).first;
  }
  return it->second[v.index] != 0;
}

void Execution::propose(Activation& a, uint32_t l, LoopRun& run, const Phis& initial, Mode mode) {
  const Loop& loop = a.cfg->loops()[l];
  const std::string prefix = a.path + ":" + std::to_string(loop.header.index) + ":";
  const auto add = [&](std::string name, bool two, std::function<Term(const Phis&, Pair, int)> f) {
    name = prefix + name;
    candidates.insert(name);
    if (!refuted_.contains(name)) run.proposed.push_back({std::move(name), two, std::move(f)});
  };
  Pool& p = pool_;
  if (tracking_ && mode.check && summary_ == nullptr) {
    // No access since the last meeting point of the iteration before.
    const flow::LoopEffects& e = loop_effects(a.id, l);
    for (uint32_t r = 0; r < m_.regions.size(); ++r)
      for (const uint8_t kind : k_kinds) {
        const auto& used = kind == 0 ? e.reads : kind == 1 ? e.writes : e.atomics;
        if (used[r] == 0 && !sets_.contains({r, kind})) continue;
        add("none." + std::to_string(r) + "." + std::to_string(kind), false, [this, r, kind](const Phis&, Pair, int t) {
          const auto it = sets_.find({r, kind});
          return it == sets_.end() ? pool_.yes() : pool_.not_(it->second.occurred[static_cast<size_t>(t)]);
        });
      }
  }
  for (size_t i = 0; i < run.phis.size(); ++i) {
    const ValueId v = run.phis[i].first;
    const Type type = a.f->value(v).type;
    if (type.kind != Type::pointer && !essential(a.id, v)) continue;
    const Pair first = initial[i].second;
    const std::string n = std::to_string(v.index) + ".";
    const auto rec = a.recurrences->find(l, v);
    const bool closed = rec && (rec->kind != flow::Recurrence::shift_right || !rec->needs_positive || rec->arithmetic ||
                                positive_while_running(a, l, v));
    if (type.kind == Type::pointer) {
      if (closed) continue;
      add(n + "base", false, [&p, i, first, this](const Phis& now, Pair, int t) {
        return p.eq(base_of(now[i].second[static_cast<size_t>(t)]), base_of(first[static_cast<size_t>(t)]));
      });
      add(n + "somewhere", false, [&p, i, this](const Phis& now, Pair, int t) {
        return p.ne(base_of(now[i].second[static_cast<size_t>(t)]), p.constant(0, 16));
      });
      continue;
    }
    const uint8_t w = type.width;
    if (closed && rec->kind == flow::Recurrence::affine) {
      // Does not wrap, upwards or downwards, signed or unsigned.
      if (rec->steps.size() != 1) continue;
      const Term step = pure(a, rec->steps[0].value, 0, mode, nullptr);
      if (!p.is_constant(step) || p.is_constant(step, 0) || w < 2) continue;
      const int64_t s = formula::as_signed(p.value(step), w) * (rec->steps[0].negative ? -1 : 1);
      const uint64_t most = formula::ones(w) / static_cast<uint64_t>(s < 0 ? -s : s);
      for (const bool is_signed : {true, false}) {
        if (is_signed && rec->no_signed_wrap) continue;
        add(n + (is_signed ? "signed" : "unsigned"), false,
            [&p, i, first, s, most, is_signed](const Phis& now, Pair k, int t) {
              const Term x = now[i].second[static_cast<size_t>(t)], x0 = first[static_cast<size_t>(t)];
              const Term small = s > 0 ? x0 : x, large = s > 0 ? x : x0;
              return p.all(p.ule(k[static_cast<size_t>(t)], p.constant(most, k_count_width)),
                           is_signed ? p.sle(small, large) : p.ule(small, large));
            });
      }
      continue;
    }
    if (closed) {
      if (rec->kind == flow::Recurrence::shift_left)
        add(n + "kept", false, [&p, i, first, w, rec](const Phis& now, Pair k, int t) {
          const Term count = k[static_cast<size_t>(t)];
          const Term by = p.scale(w == k_count_width ? count : p.extract(count, 0, w), rec->by);
          return p.all(p.ult(count, p.constant(w / rec->by + 1u, k_count_width)),
                       p.eq(p.lshr(now[i].second[static_cast<size_t>(t)], by), first[static_cast<size_t>(t)]));
        });
      continue;
    }
    if (mode.lockstep && mode.asked == Asked::all && pairing_ == Pairing::same_group &&
        run.phis[i].second[0] != run.phis[i].second[1])
      add(n + "equal", true, [&p, i](const Phis& now, Pair, int) { return p.eq(now[i].second[0], now[i].second[1]); });
    if (w == 1) continue;
    const auto compare = [&](const std::string& what, auto relation) {
      add(n + what, false, [relation, i, first](const Phis& now, Pair, int t) {
        return relation(now[i].second[static_cast<size_t>(t)], first[static_cast<size_t>(t)]);
      });
    };
    compare("ule", [&p](Term x, Term x0) { return p.ule(x, x0); });
    compare("uge", [&p](Term x, Term x0) { return p.ule(x0, x); });
    compare("sle", [&p](Term x, Term x0) { return p.sle(x, x0); });
    compare("sge", [&p](Term x, Term x0) { return p.sle(x0, x); });
    compare("nonnegative", [&p, w](Term x, Term) { return p.sle(p.constant(0, w), x); });
    if (rec && rec->kind == flow::Recurrence::shift_right &&
        w >= 8)  // signed, of what may be negative for all that is known
      add(n + "halved", false, [&p, i, first, w, by = rec->by](const Phis& now, Pair k, int t) {
        const Term count = k[static_cast<size_t>(t)];
        const Term far = p.ule(p.constant(w, k_count_width), count);
        const Term shift = p.scale(w == k_count_width ? count : p.extract(count, 0, w), by);
        return p.eq(now[i].second[static_cast<size_t>(t)],
                    p.ite(far, p.constant(0, w), p.lshr(first[static_cast<size_t>(t)], shift)));
      });
    compare("bit", [&p, w](Term x, Term) { return p.ule(x, p.constant(1, w)); });
    compare("nonzero", [&p, w](Term x, Term) { return p.ne(x, p.constant(0, w)); });
    compare("power", [&p, w](Term x, Term) { return p.eq(p.and_(x, p.sub(x, p.constant(1, w))), p.constant(0, w)); });
    for (uint8_t bits = 1; bits <= 6 && bits < w; ++bits)
      compare("stride" + std::to_string(bits),
              [&p, bits](Term x, Term x0) { return p.eq(p.extract(x, 0, bits), p.extract(x0, 0, bits)); });
    // Against what the header compares it with.
    const auto* br = std::get_if<Branch>(&a.f->blocks[loop.header.index].terminator);
    const Instruction* in = br == nullptr ? nullptr : a.recurrences->definition(br->condition);
    const auto* c = in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
    if (c != nullptr && c->operands.size() == 2) {
      const int side = c->operands[0] == v ? 1 : c->operands[1] == v ? 0 : -1;
      if (side >= 0 && a.recurrences->invariant(l, c->operands[static_cast<size_t>(side)])) {
        const ValueId bound = c->operands[static_cast<size_t>(side)];
        const Pair limit{pure(a, bound, 0, mode, nullptr), pure(a, bound, 1, mode, nullptr)};
        const auto against = [&](const std::string& what, auto relation) {
          add(n + what, false, [relation, i, limit](const Phis& now, Pair, int t) {
            return relation(now[i].second[static_cast<size_t>(t)], limit[static_cast<size_t>(t)]);
          });
        };
        against("below", [&p](Term x, Term b) { return p.ule(x, b); });
        against("above", [&p](Term x, Term b) { return p.ule(b, x); });
        against("sbelow", [&p](Term x, Term b) { return p.sle(x, b); });
        against("sabove", [&p](Term x, Term b) { return p.sle(b, x); });
      }
    }
  }
}

void Execution::assume_candidates(const LoopRun& run, const Phis& phis, Pair k, Pair guard, Mode mode) {
  for (const Candidate& c : run.proposed) {
    if (c.both) {
      if (mode.lockstep) fact(pool_.all(guard[0], guard[1]), c.holds(phis, k, 0), 0, true);
      continue;
    }
    for (const int t : {0, 1}) fact(guard[static_cast<size_t>(t)], c.holds(phis, k, t), t);
  }
}

void Execution::check_candidates(const LoopRun& run, const Phis& phis, Pair k, Pair guard, Mode mode) {
  for (const Candidate& c : run.proposed) {
    const Term g = c.both ? pool_.all(guard[0], guard[1]) : guard[0];
    Obligation* o = oblige(Kind::assertion, pool_.all(g, pool_.not_(c.holds(phis, k, 0))), {}, c.both, mode);
    if (o != nullptr) o->candidate = c.name;
  }
}

void Execution::header_invariants(Activation& a, uint32_t l, const Phis& phis, Pair guard, Mode mode, Header what) {
  const Block& header = a.f->blocks[a.cfg->loops()[l].header.index];
  size_t last = 0;
  for (size_t i = 0; i < header.instructions.size(); ++i)
    if (const auto* n = std::get_if<Annotation>(&header.instructions[i].action);
        n != nullptr && n->note == Note::invariant)
      last = i + 1;
  if (last == 0 || (!mode.check && mode.asked != Asked::special)) return;
  const std::vector<Pair> saved = a.values;
  const Pair saved_guard = a.guard;
  const Header saved_header = header_;
  const auto saved_wide = a.wide;
  for (const auto& [v, p] : phis) {
    set(a, v, p);
    a.wide.erase(v.index);
  }
  a.guard = guard;
  a.block = a.cfg->loops()[l].header;
  header_ = what;
  Mode quiet = mode;
  quiet.log = quiet.check = false;
  for (size_t i = 0; i < last; ++i) {
    const Instruction& in = header.instructions[i];
    const auto* n = std::get_if<Annotation>(&in.action);
    if (n != nullptr ? n->note == Note::invariant
                     : std::holds_alternative<Compute>(in.action) || std::holds_alternative<Load>(in.action))
      instruction(a, in, guard, quiet);
  }
  header_ = saved_header;
  a.values = saved;
  a.wide = saved_wide;
  a.guard = saved_guard;  // the block is set by whatever is run next
}

// The blocks of one iteration, from the header on; phis are set.
void Execution::body(Activation& a, uint32_t l, LoopRun& run, Mode mode) {
  const Loop& loop = a.cfg->loops()[l];
  a.guards[loop.header.index] = run.entry;
  blocks(a, loop.blocks, l, mode);
  run.latch = both(pool_.no());
  if (const auto it = a.edges.find({loop.latch.index, loop.header.index}); it != a.edges.end()) run.latch = it->second;
  run.exit = both(pool_.no());
  for (BlockId b : loop.blocks)
    for (BlockId to : successors(a.f->blocks[b.index].terminator)) {
      if (a.cfg->in_loop(to, l)) continue;
      const auto it = a.edges.find({b.index, to.index});
      if (it == a.edges.end()) continue;
      run.exits[{b.index, to.index}] = it->second;
      for (const size_t t : k_both) run.exit[t] = pool_.any(run.exit[t], it->second[t]);
    }
}

Execution::LoopRun Execution::iteration(Activation& a, uint32_t l, Pair entry, Mode mode, bool forget_common,
                                        const std::optional<LoopRun>& earlier) {
  LoopRun run;
  run.entry = entry;
  run.first_variable = pool_.variables();
  run.first_symbol = pool_.symbols();
  const Phis start = incoming(a, l, false);
  Pool& p = pool_;
  // As few bits as the count needs: sums of counters then do not wrap, and the solver sees small numbers.
  std::array<uint64_t, 2> most{~uint64_t{0}, ~uint64_t{0}};
  std::vector<std::array<uint64_t, 2>> spans;
  for (const auto& [v, first] : start) {
    spans.push_back({});
    for (const int t : {0, 1}) {
      const auto i = static_cast<size_t>(t);
      const Counting own = most_iterations(a, l, v, first[i], t, mode);
      spans.back()[i] = own.span;
      most[i] = std::min(most[i], own.most);
    }
    if (mode.lockstep) spans.back()[0] = spans.back()[1] = std::max(spans.back()[0], spans.back()[1]);  // of one count
  }
  std::array<std::vector<Term>, 2> bounds;
  if (mode.lockstep) most[0] = most[1] = std::max(most[0], most[1]);
  for (const size_t t : k_both) {
    if (t == 1 && mode.lockstep) {
      run.k[1] = run.k[0];
      run.k_variable[1] = run.k_variable[0];
      bounds[1] = bounds[0];
      break;
    }
    run.k[t] = most[t] == ~uint64_t{0}
                   ? p.variable(k_count_width, t == 0 ? "iterations" : "iterations'")
                   : p.number_below(most[t] + 1, k_count_width, t == 0 ? "iterations" : "iterations'", bounds[t]);
    const formula::Node& n = p[run.k[t]];
    run.k_variable[t] = n.op == formula::Op::variable ? run.k[t] : n.op == formula::Op::zext ? n.kids[0] : Term{};
  }
  if (!mode.lockstep) iteration_ = run.k;
  // Threads may be in loops of their own between barriers of some of them, or at rings of barrier objects.
  const bool apart = named_.in_rounds(loops_around_.back()) || ring_loops_.contains(loops_around_.back());
  const bool mastered = (loop_effects(a.id, l).group_barrier && !apart) || loop_effects(a.id, l).device_barrier;
  if (mastered && pairing_ == Pairing::other_group)
    for (const int t : {0, 1})
      if (const Term v = run.k_variable[static_cast<size_t>(t)]; v) masters.same_for_group(v, static_cast<size_t>(t));
  // Facts about the count and the phis; they are added after the questions about the entry, which must not rest on
  // them: what is assumed of the fresh values may contradict itself when an invariant is false at the start.
  std::vector<std::pair<Term, int>> known, of_counters;
  const auto count = [&](int t) { return run.k[static_cast<size_t>(t)]; };
  const Term zero_count = p.constant(0, k_count_width);
  for (const int t : {0, 1})
    for (Term b : bounds[static_cast<size_t>(t)]) known.emplace_back(b, t);
  if (earlier)
    for (const int t : {0, 1}) {
      // Only if there is a later one: `entry` is that the earlier iteration came back.
      const auto i = static_cast<size_t>(t);
      known.emplace_back(p.implies(entry[i], p.ult(earlier->k[i], count(t))), t);
    }
  for (size_t n = 0; n < start.size(); ++n) {
    const auto& [v, first] = start[n];
    const Type type = a.f->value(v).type;
    const bool pointer = type.kind == Type::pointer;
    Pair now{}, exact{};
    bool exact_signed = true;
    if (const auto rec = a.recurrences->find(l, v); rec && options_.infer) {
      for (const int i : {0, 1}) {
        const auto t = static_cast<size_t>(i);
        const Term k = run.k[t];
        if (rec->kind == flow::Recurrence::affine) {
          const uint8_t w = pointer ? pointers.offset_bits : type.width;
          Term step = p.constant(0, w);
          for (const auto& s : rec->steps) {
            Term x = pure(a, s.value, i, mode, nullptr);
            if (p.width(x) > w) x = p.extract(x, 0, w);
            if (p.width(x) < w) x = p.sext(x, w);
            step = s.negative ? p.sub(step, x) : p.add(step, x);
          }
          const auto bits = static_cast<uint8_t>(pointer ? 64 : std::max<int>(1, std::bit_width(spans[n][t])));
          const Term by = products.stepped(p.extract(k, 0, w), step, bits);
          const Ends end = pointer ? Ends::no : ends(a, l, v, step);
          const bool nsw = rec->no_signed_wrap || end == Ends::as_signed;
          if (end == Ends::as_unsigned) known.emplace_back(p.ule(first[t], p.add(first[t], by)), i);
          const uint8_t ow = pointers.offset_bits;
          if (!pointer && (nsw || end == Ends::as_unsigned) && w <= ow && rec->steps.size() == 1) {
            // i0 + k * step without wrapping, for offsets.
            const auto widened = [&](Term x) { return w == ow ? x : nsw ? p.sext(x, ow) : p.zext(x, ow); };
            exact[t] = p.add(widened(first[t]), products.stepped(p.extract(k, 0, ow), widened(step), bits));
            exact_signed = nsw;
          }
          now[t] = pointer ? p.concat(base_of(first[t]), p.add(offset_of(first[t]), by)) : p.add(first[t], by);
          // Offsets take it so; quotients by unknown numbers need it of the number itself.
          if (exact[t] && products.any())
            of_counters.emplace_back(p.eq(exact[t], nsw ? p.sext(now[t], ow) : p.zext(now[t], ow)), i);
          if (nsw && w > 1) {
            const int64_t low = products.positive(step) ? std::max<int64_t>(1, p[step].signed_low) : p[step].signed_low,
                          high = p[step].signed_high;
            if (low > 0 || high < 0) {
              const uint64_t least = static_cast<uint64_t>(low > 0 ? low : -high);
              known.emplace_back(p.ule(k, p.constant(formula::ones(w) / least, k_count_width)), i);
            }
            // Without the bound on k a product of unknowns may wrap, but the value itself does not pass its start.
            if (low >= 0) known.emplace_back(p.sle(first[t], now[t]), i);
            if (high <= 0) known.emplace_back(p.sle(now[t], first[t]), i);
          }
        } else if (rec->kind == flow::Recurrence::toggle) {
          now[t] = p.ite(p.extract(k, 0, 1), p.xor_(first[t], p.constant(rec->mask, type.width)), first[t]);
        } else if (!pointer && type.width >= 8 &&
                   (rec->kind == flow::Recurrence::shift_left || !rec->needs_positive || rec->arithmetic ||
                    positive_while_running(a, l, v))) {
          const uint8_t w = type.width;
          const Term far = p.ule(p.constant(w, k_count_width), k);
          const Term by = p.scale(w == k_count_width ? k : p.extract(k, 0, w), rec->by);
          if (rec->arithmetic && !positive_while_running(a, l, v)) {
            now[t] = p.ite(far, p.ashr(first[t], p.constant(w - 1u, w)), p.ashr(first[t], by));
            continue;
          }
          now[t] = p.ite(far, p.constant(0, w),
                         rec->kind == flow::Recurrence::shift_left ? p.shl(first[t], by) : p.lshr(first[t], by));
          if (rec->needs_positive) now[t] = p.ite(p.eq(k, zero_count), first[t], now[t]);
        }
      }
    }
    if (const std::vector<ValueId> circle = rotation(a, l, v); circle.size() > 1 && options_.infer)
      for (const size_t t : k_both) {
        const auto began = [&](ValueId x) {
          const auto it = std::find_if(start.begin(), start.end(), [&](const auto& s) { return s.first == x; });
          FENCEPOST_INVARIANT(it != start.end(), "a phi of the header");
          return it->second[t];
        };
        const Term turn = p.urem(run.k[t], p.constant(circle.size(), k_count_width));
        now[t] = began(circle.back());
        for (size_t i = circle.size() - 1; i-- > 0;)
          now[t] = p.ite(p.eq(turn, p.constant(i, k_count_width)), began(circle[i]), now[t]);
      }
    if (!now[0] || !now[1]) {
      const std::string& name = a.f->value(v).name;
      now = unknown(width(type), "phi " + (name.empty() ? std::to_string(v.index) : name),
                    mode.lockstep && a.uniform.values[v.index] != 0);
      for (const int t : {0, 1}) {
        const auto i = static_cast<size_t>(t);
        known.emplace_back(p.any({p.ne(count(t), zero_count), p.not_(entry[i]), p.eq(now[i], first[i])}), t);
      }
    }
    if (mode.asked == Asked::special) {
      // A thread that has left has whatever it left with.
      for (const size_t t : k_both) now[t] = p.ite(entry[t], now[t], p.variable(width(type), "left"));
      exact = {};
    }
    run.phis.emplace_back(v, now);
    if (exact[0] && exact[1])
      a.wide[v.index] = {exact, exact_signed};
    else
      a.wide.erase(v.index);
  }
  propose(a, l, run, start, mode);
  ++position_;
  if (mode.check) check_candidates(run, start, both(zero_count), entry, mode);
  if (mode.asked != Asked::special) header_invariants(a, l, start, entry, mode, Header::entry);
  if (mode.check && !a.wide_invariants.empty()) {
    const std::vector<Pair> saved = a.values;
    const auto saved_wide = a.wide;
    for (const auto& [v, x] : start) {
      set(a, v, x);
      a.wide.erase(v.index);
    }
    wide_invariants(a, l, entry, mode, Header::entry);
    a.values = saved;
    a.wide = saved_wide;
  }
  if (mode.check && options_.k_induction > 1) {
    LoopRun zeroth;
    zeroth.entry = entry;
    zeroth.phis = start;
    zeroth.k = both(zero_count);
    later_iterations(a, l, zeroth, mode, Header::entry);
  }
  run.position = ++position_;
  // What was stored before the loop may have been read and replaced in earlier iterations.
  masters.forget();
  if (!mastered) masters.enter_loose_loop();
  // Of a thread that does not enter, the count is the other's.
  for (const auto& [term, t] : known) fact(entry[static_cast<size_t>(t)], term, t);
  const size_t before = trace.facts.size();
  for (const auto& [term, t] : of_counters) fact(entry[static_cast<size_t>(t)], term, t);
  for (size_t i = before; i < trace.facts.size(); ++i) trace.facts[i].of_quotients = true;
  // What the loop writes is unknown.
  const flow::LoopEffects& e = loop_effects(a.id, l);
  for (uint32_t r = 0; r < m_.regions.size(); ++r) {
    Pair since = entry;
    if (e.writes[r] == 0 && !(e.atomics[r] != 0 && m_.regions[r].space == Space::private_)) {
      // A barrier in the loop lets others write, from the second iteration on; so does what a flag or a lock tells.
      const Space space = m_.regions[r].space;
      const bool shared = space == Space::global || space == Space::group;
      const bool meets = e.warp_barrier || e.group_barrier || e.device_barrier;
      if (!shared || effects_.function(entry_).writes[r] == 0 || !(meets || heard(a, l, {r}))) continue;
      for (const size_t t : k_both) since[t] = p.all(since[t], p.ne(run.k[t], zero_count));
    }
    // While a lock may be held, or where flags or barriers of some threads order them, the two threads are in the loop
    // at different times.
    if (!memory.adversarial({r}))
      memory.forget({r}, since, forget_common && mode.lockstep && !maybe_held_ && !others_in_order_);
  }
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if (e.writes[r] != 0) masters.touch({r});
  for (const auto& [v, now] : run.phis) set(a, v, now);
  if (tracking_ && mode.check) forget_sets(a, l, entry);
  assume_candidates(run, run.phis, run.k, entry, mode);
  a.guards[a.cfg->loops()[l].header.index] = a.guard = entry;
  a.block = a.cfg->loops()[l].header;
  wide_invariants(a, l, entry, mode, Header::assume);
  body(a, l, run, mode);
  if (!mastered) masters.leave_loose_loop();
  masters.forget();
  for (const int t : {0, 1}) come_back_facts(run, run.latch[static_cast<size_t>(t)], t);
  if (mode.check) {
    ++position_;
    const Phis next = incoming(a, l, true);
    const Term one = p.constant(1, k_count_width);
    check_candidates(run, next, {p.add(run.k[0], one), p.add(run.k[1], one)}, run.latch, mode);
    if (options_.k_induction > 1)
      later_iterations(a, l, run, mode, Header::maintained);
    else
      header_invariants(a, l, next, run.latch, mode, Header::maintained);
    if (!a.wide_invariants.empty()) {
      const std::vector<Pair> saved = a.values;
      const auto saved_wide = a.wide;
      for (const auto& [v, x] : next) {
        set(a, v, x);
        a.wide.erase(v.index);
      }
      wide_invariants(a, l, run.latch, mode, Header::maintained);
      a.values = saved;
      a.wide = saved_wide;
    }
  }
  return run;
}

// The iteration that follows immediately.
Execution::LoopRun Execution::next_iteration(Activation& a, uint32_t l, const LoopRun& first, Mode mode) {
  LoopRun run;
  run.position = ++position_;
  run.entry = first.latch;
  run.first_variable = pool_.variables();
  run.first_symbol = pool_.symbols();
  const Term one = pool_.constant(1, k_count_width);
  run.k = {pool_.add(first.k[0], one), pool_.add(first.k[1], one)};
  run.phis = incoming(a, l, true);
  run.proposed = first.proposed;
  for (const auto& [v, now] : run.phis) {
    set(a, v, now);
    a.wide.erase(v.index);
  }
  assume_candidates(run, run.phis, run.k, run.entry, mode);
  body(a, l, run, mode);
  masters.forget();
  return run;
}

bool Execution::in_step(const flow::LoopEffects& e, bool in_rounds) const {
  if (pairing_ == Pairing::other_group) return e.device_barrier;
  return (e.group_barrier && !in_rounds) || e.device_barrier ||
         (lanes_ == Lanes::same_warp && options_.warp_barriers && e.warp_barrier);
}

void Execution::loop(Activation& a, uint32_t l, Mode mode) {
  const Loop& loop = a.cfg->loops()[l];
  Pair entry = both(pool_.no());
  for (BlockId p : a.cfg->predecessors(loop.header)) {
    if (a.cfg->in_loop(p, l)) continue;
    if (const auto it = a.edges.find({p.index, loop.header.index}); it != a.edges.end())
      for (const size_t t : k_both) entry[t] = pool_.any(entry[t], it->second[t]);
  }
  // A header that every path reaches has the guard of its dominator.
  if (const BlockId d = a.cfg->immediate_dominator(loop.header); d) {
    const Pair g = guard_of(a, loop.header, loop.parent);
    if (a.cfg->postdominates(loop.header, d)) entry = g;
  }
  a.loop_entry[l] = entry;
  loops_around_.push_back(++loop_runs_);
  repeats_.push_back({});
  const struct Leave {
    std::vector<uint32_t>& loops;
    std::vector<Repeats>& repeats;
    uint32_t& parting;
    uint32_t parted;
    ~Leave() {
      loops.pop_back();
      repeats.pop_back();
      parting -= parted;
    }
  } leave{loops_around_, repeats_, parting_, some_lanes(a, l) ? 1u : 0u};
  parting_ += leave.parted;
  const auto drop = [&] {
    for (BlockId b : loop.blocks) {
      a.guards[b.index] = both(pool_.no());
      for (BlockId to : successors(a.f->blocks[b.index].terminator)) a.edges[{b.index, to.index}] = both(pool_.no());
    }
  };
  if (never(entry)) {
    drop();
    return;
  }
  const flow::LoopEffects& e = loop_effects(a.id, l);
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if ((counters_[r] != 0 || amounts_[r] != 0) && e.atomics[r] != 0) {
      repeats_.back() = repeats(a, l, mode);
      break;
    }
  const bool ring = around_rings(a, l, entry);
  if (ring) ring_loops_.insert(loop_runs_);
  const bool in_rounds =
      !ring && e.group_barrier && !e.device_barrier && named_.begin(*a.f, *a.cfg, l, entry, loops_around_.back());
  const bool met = !ring && in_step(e, in_rounds), by_warp = !ring && !met && warp_in_step(a, l);
  if (!ring && !met && !by_warp && written_out(a, l, entry, mode, in_rounds)) return;
  if (!(met || by_warp) || !mode.lockstep) loose_loops_.insert(loop_runs_);
  if (a.uniform.loops[l] != 0) trace.uniform_loops.insert(loop_runs_);
  // An attempt to take a lock in some earlier iteration.
  for (const auto& [r, values] : lock_values_) maybe_held_ = maybe_held_ || e.atomics[r] != 0;
  const bool one_by_one = !options_.asymmetric && mode.lockstep && mode.check && !met && !by_warp &&
                          a.uniform.loops[l] == 0 && may_part(a, l);
  const Asked asked = one_by_one ? Asked::plain : Asked::all;
  if (one_by_one) parted(a, l, entry);
  // The summary: each thread in an iteration of its own.
  const bool collect = tracking_ && mode.check;
  std::vector<Collected> collected;
  const auto summarise = [&](bool log) {
    std::vector<Collected>* const outer = collector_;
    if (collect) collector_ = &collected;
    const Aside aside = set_aside(a);
    const Pair outer_iteration = iteration_;
    const uint32_t begin = ring ? ++position_ : position_;
    if (ring) mbarriers_.begin_ring();
    const LoopRun run = iteration(a, l, entry, Mode{log, false, false, asked}, false, std::nullopt);
    if (log && in_rounds) named_.round(loops_around_.back(), entry, run.k, run.latch, true);
    if (ring) mbarriers_.end_ring({loops_around_.back(), begin, position_, run.k, entry, run.latch});
    come_back(a, aside, true);
    iteration_ = outer_iteration;
    collector_ = outer;
  };
  if (!(met || by_warp) || !mode.lockstep) {
    // Whose bytes may be written (Mbarriers), or who comes to barriers.
    bool touches = mbarriers_.expected() || in_rounds;
    for (uint32_t r = 0; r < m_.regions.size(); ++r)
      // Additions to a counter of the group count for pairs of two groups too (move_counter).
      touches = touches || (counters_[r] != 0 && e.atomics[r] != 0) ||
                ((e.reads[r] != 0 || e.writes[r] != 0 || e.atomics[r] != 0) && conflicts_possible({r}));
    if ((mode.log && touches) || collect || collector_ != nullptr) summarise(mode.log);
    summary_ = collect ? &collected : nullptr;
    const bool together = mode.lockstep && a.uniform.loops[l] != 0;
    const Pair around = iteration_;
    LoopRun run = iteration(a, l, entry, Mode{false, mode.check, together, asked}, true, std::nullopt);
    iteration_ = around;
    ++position_;
    for (const int t : {0, 1}) {
      const auto i = static_cast<size_t>(t);
      if (!pool_.is_false(run.exit[i])) fact(entry[i], run.exit[i], t);
    }
    if (never(run.exit)) a.loop_entry[l] = both(pool_.no());
    a.edges[{loop.latch.index, loop.header.index}] = both(pool_.no());
    return;
  }

  // A warp goes through the loop without a barrier of the group: access sets grow from iteration to iteration.
  if (by_warp && collect) summarise(false);
  summary_ = by_warp && collect ? &collected : nullptr;
  // In step. Do the barriers that every iteration passes order all memory that matters here?
  const flow::Fences fences = by_warp                            ? flow::Fences{true, true}
                              : pairing_ == Pairing::other_group ? e.always_device
                              : lanes_ == Lanes::same_warp && options_.warp_barriers
                                  ? e.always_warp
                                  : flow::Fences{e.always_group.local || e.always_device.local,
                                                 e.always_group.global || e.always_device.global};
  bool exact = true;
  for (uint32_t r = 0; r < m_.regions.size(); ++r) {
    if (e.reads[r] == 0 && e.writes[r] == 0 && e.atomics[r] == 0) continue;
    if (!conflicts_possible({r})) continue;
    exact = exact && (m_.regions[r].space == Space::group ? fences.local : fences.global);
  }
  const uint32_t outer_second = second_;
  // The virtual barrier comes first; its guard needs k, which the iteration makes: a placeholder is filled below.
  const size_t virtual_at = trace.barriers.size();
  ++position_;
  if (mode.log)
    trace.barriers.push_back(BarrierRecord{
        order::Provider::repeated, position_, both(pool_.no()), both(pool_.no()), both(pool_.no()), true, {}});
  const uint32_t step_begin = position_;
  LoopRun first = iteration(a, l, entry, mode, true, std::nullopt);
  if (mode.log && in_rounds) named_.round(loops_around_.back(), entry, first.k, first.latch, false);
  const bool objects = !met_by_barriers(a, l);
  const auto over = [&](const LoopRun& run, uint32_t begin) {
    if (mode.log && met && mbarriers_.expected())
      mbarriers_.iteration({begin, ++position_, loops_around_, run.k, run.latch, objects});
  };
  over(first, step_begin);
  const size_t step = trace.steps.size();
  if (mode.log) {
    order::StepRecord s;
    s.begin = step_begin;
    s.end = s.last_end = ++position_;
    s.loop = loops_around_.back();
    s.exact = exact && !by_warp;
    s.goes_on = first.latch;
    s.entry = entry;
    for (const size_t t : k_both) s.at_once[t] = pool_.eq(first.k[t], pool_.constant(0, k_count_width));
    trace.steps.push_back(std::move(s));
    BarrierRecord& v = trace.barriers[virtual_at];
    for (const size_t t : k_both) {
      const Term later = pool_.ne(first.k[t], pool_.constant(0, k_count_width));
      v.guard[t] = pool_.all(entry[t], later);
      v.local[t] = fences.local ? v.guard[t] : pool_.no();
      v.global[t] = fences.global ? v.guard[t] : pool_.no();
    }
    if (by_warp) v.meets = pool_.yes();  // the header, executed by both
  }
  // Both go on or both leave.
  ++position_;
  const Term together = pool_.implies(pool_.all(entry[0], entry[1]), pool_.eq(first.latch[0], first.latch[1]));
  PlaceId where_place;
  for (BlockId b : loop.blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions)
      if (!where_place && (std::holds_alternative<Barrier>(in.action) ||
                           std::holds_alternative<WarpExchange>(in.action) || std::holds_alternative<Call>(in.action)))
        where_place = in.place;
  if (!by_warp && objects) {
    // Who leaves earlier is no defect: then there are not so many arrivals.
    Obligation* o = oblige(Kind::barrier_divergence, pool_.not_(together), where_place, true, mode);
    if (o != nullptr) o->open = "all threads pass the barrier objects of a loop equally often";
  } else if (!by_warp) {
    warp_comes(pool_.not_(together), where_place, true, mode);
  }
  fact(pool_.yes(), together, 0, true);
  if (by_warp && mode.log)
    trace.barriers.push_back(
        BarrierRecord{order::Provider::warp, ++position_, first.latch, first.latch, first.latch, false, pool_.yes()});

  // Those that follow: immediately, or any later one where the memory of the loop is not ordered by each.
  const Mode again{mode.log, false, true};
  std::vector<LoopRun> runs{std::move(first)};
  std::vector<std::vector<Pair>> values;
  const uint32_t rounds = exact && !by_warp ? iterations_to_run(a, l) : 2;
  while (runs.size() < rounds) {
    values.push_back(a.values);
    if (outer_second == 0) second_ = ++seconds_;
    const LoopRun& before = runs.back();
    // incoming(.., false) reads the values before the loop, which the first iteration has not changed.
    const bool gap = !exact && !by_warp && mode.log;
    const size_t between = trace.barriers.size();
    const uint32_t begin = mbarriers_.expected() ? ++position_ : position_;
    if (gap)
      trace.barriers.push_back(BarrierRecord{
          order::Provider::repeated, ++position_, both(pool_.no()), both(pool_.no()), both(pool_.no()), true, {}});
    LoopRun next = exact ? next_iteration(a, l, before, again) : iteration(a, l, before.latch, again, true, before);
    over(next, begin);
    if (mode.log && in_rounds) named_.again(loops_around_.back(), second_, next.k);
    // Where the two do not follow each other immediately, both threads have passed what those between them pass.
    if (gap) {
      BarrierRecord& v = trace.barriers[between];
      for (const size_t t : k_both) {
        const Term following = pool_.add(before.k[t], pool_.constant(1, k_count_width));
        v.guard[t] = pool_.all(before.latch[t], pool_.ne(next.k[t], following));
        v.local[t] = fences.local ? v.guard[t] : pool_.no();
        v.global[t] = fences.global ? v.guard[t] : pool_.no();
      }
    }
    runs.push_back(std::move(next));
    if (runs.size() + 1 != rounds) continue;
    if (mode.log) {
      trace.steps[step].last_end = ++position_;
      trace.steps[step].goes_on = runs.back().latch;
    }
  }
  second_ = outer_second;
  ++position_;
  const LoopRun& last = runs.back();
  std::map<std::pair<uint32_t, uint32_t>, Pair> left = last.exits;
  const Term zero = pool_.constant(0, k_count_width);
  for (const size_t t : k_both) {
    const Term at_once = pool_.eq(runs[0].k[t], zero);
    Term any = last.exit[t];
    for (size_t n = values.size(); n-- > 0;) {
      const Term left_here = pool_.all(runs[n].exit[t], at_once);
      any = pool_.any(left_here, any);
      for (auto& [edge, g] : left) g[t] = pool_.any(pool_.all(runs[n].exits[edge][t], at_once), g[t]);
      for (BlockId b : loop.blocks)
        for (const Instruction& in : a.f->blocks[b.index].instructions)
          for (ValueId r : in.results)
            if (values[n][r.index][t] && a.values[r.index][t])
              a.values[r.index][t] = pool_.ite(left_here, values[n][r.index][t], a.values[r.index][t]);
    }
    if (!pool_.is_false(any)) fact(entry[t], any, static_cast<int>(t));
  }
  for (const auto& [v, now] : last.phis) a.wide.erase(v.index);  // several iterations may have been the last
  for (const auto& [edge, g] : left) a.edges[edge] = g;
  a.edges[{loop.latch.index, loop.header.index}] = both(pool_.no());
}

}  // namespace fencepost::prove
